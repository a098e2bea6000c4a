/**
 * A double as JSON. A double without a fraction keeps `.0`. A value that JSON has no number for
 * becomes its name, as a text.
 */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  if (!Number.isInteger(value)) return String(value);
  const written = Object.is(value, -0) ? '-0' : String(value);
  return written.includes('e') ? written : `${written}.0`;
}
