/** Tells where the engine's words go over into the statement's own text. */
const STATEMENT = /(?::? ?\bIn scope |failed at position \d+|is not closed).*$/s;
const QUOTED = /'(?:[^'\\]|\\.|'')*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)/gs;
const LONG_NUMBER = /\d{5,}/g;

/**
 * Words about a statement or its data, without what stood in it: it may be anything, a password or
 * somebody's name, and a log is read by others than those who may read the rows.
 */
export function withoutLiterals(text: string): string {
  return text.replace(STATEMENT, ' …').replace(QUOTED, '?').replace(LONG_NUMBER, '?');
}

/**
 * Reads those texts of an error of the engine that no statement can put its own words into: `throwIf`
 * and others make the message.
 */
export function engineFailure(
  error: unknown,
): { readonly code: unknown; readonly type: unknown } | undefined {
  if (!isOfEngine(error)) return undefined;
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && 'type' in each) return { code: each.code, type: each.type };
  return { code: undefined, type: undefined };
}

/** Tells whether an error, or what caused it, has words of the engine's. */
export function isOfEngine(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each.name === 'WarehouseError' || each.message.includes('DB::Exception')) return true;
  return false;
}
