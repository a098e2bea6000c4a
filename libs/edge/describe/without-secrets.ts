/** User and password as they should be, and no other `@` that may belong to them. */
const PLAIN = /^[^\s/?#@]*@(?=[^\s@]*$)/;

/**
 * A URI, or a text with some, as messages for terminals, logs and callers may have it: without user
 * and password, whatever characters are in them, and without what is behind `?`, where signatures are.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(
      /(https?:\/\/)(\S*)|(:\/\/)\S*@/gi,
      (_all, http: string | undefined, rest: string, other: string) =>
        http === undefined ? `${other}***@` : `${http}${withoutUser(rest)}`,
    )
    .replace(/(:\/\/[^\s?]*)\?[^\s'")]*/g, '$1?…');
}

/** Where a password may end is not known when characters are in it that should be encoded. */
function withoutUser(rest: string): string {
  if (PLAIN.test(rest)) return rest.replace(PLAIN, '***@');
  return /:.*@|^[^/?#]*@/s.test(rest) ? '***' : rest;
}
