/**
 * What is wrong with a JSON text, and where, in words: V8's parser tells the position, which the
 * engine does not. For the first bad record of an upload only.
 */
export function explainMalformed(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = (error as SyntaxError).message;
    const position = /at position (\d+)/.exec(message)?.[1];
    const what = message
      .replace(/ in JSON at position \d+.*$/s, '')
      .replace(/, ?"?.*is not valid JSON$/s, '');
    if (position === undefined) return `malformed JSON: ${what}`;
    return `malformed JSON: ${what} at column ${Number(position) + 1}`;
  }
}
