/** A double as JSON: one that has no fraction stays a fraction. What is no number in JSON is its name, as a text. */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  if (!Number.isInteger(value)) return String(value);
  const written = Object.is(value, -0) ? '-0' : String(value);
  return written.includes('e') ? written : `${written}.0`;
}
