/**
 * Matches user and password that are properly encoded, without another `@` that may belong to them.
 */
const PLAIN = /^[^\s/?#@]*@(?=[^\s@]*$)/;

/**
 * Removes user and password, whatever characters they have, and everything behind `?`, where
 * signatures are, from a URI or a text with URIs. The result may be shown on terminals, in logs and
 * to callers.
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

/** If a password has characters that should have been encoded, its end is not known. */
function withoutUser(rest: string): string {
  if (PLAIN.test(rest)) return rest.replace(PLAIN, '***@');
  return /:.*@|^[^/?#]*@/s.test(rest) ? '***' : rest;
}
