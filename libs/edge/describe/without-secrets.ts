/**
 * A URI, or a text with one, as messages for terminals, logs and callers may have it: without user
 * and password, whatever characters are in them, and without what is behind `?`, where signatures are.
 */
export function withoutSecrets(text: string): string {
  return text.replace(/:\/\/[^\s?]*@/g, '://***@').replace(/(:\/\/[^\s?]*)\?[^\s'")]*/g, '$1?…');
}
