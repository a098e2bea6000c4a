/** Matches the place at which the engine's words end and the statement's own text begins. */
const STATEMENT = /(?::? ?\bIn scope |failed at position \d+|is not closed).*$/s;
const QUOTED = /'(?:[^'\\]|\\.|'')*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)/gs;
const LONG_NUMBER = /\d{5,}/g;

/**
 * Removes texts of a statement or its data from a message. They may contain a password or a
 * person's name, and more people read a log than may read the rows.
 */
export function withoutLiterals(text: string): string {
  return text.replace(STATEMENT, ' …').replace(QUOTED, '?').replace(LONG_NUMBER, '?');
}

/**
 * Matches the beginnings of the engine's messages into which a statement cannot put its own words,
 * as `throwIf` and other functions do.
 */
export function engineFailure(
  error: unknown,
): { readonly code: unknown; readonly type: unknown } | undefined {
  if (!isOfEngine(error)) return undefined;
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && 'type' in each) return { code: each.code, type: each.type };
  return { code: undefined, type: undefined };
}

/** Tells whether an error, or its cause, contains words of the engine. */
export function isOfEngine(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each.name === 'WarehouseError' || each.message.includes('DB::Exception')) return true;
  return false;
}
