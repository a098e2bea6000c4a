// @ts-check
// Messages of one line each; plain JavaScript since the engine's process uses it too.

/**
 * Tells each line of a stream. A last line that was cut off, such as by the end of the writer, is
 * dropped. Node.js's readline would give it, and would also end lines at U+2028, which JSON does
 * not escape.
 * @param {import('node:stream').Readable} stream
 * @param {(line: string) => void} tell
 */
export function onLine(stream, tell) {
  let begun = '';
  stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    const [rest, ...lines] = text.split('\n');
    begun += rest;
    for (const line of lines) {
      tell(begun);
      begun = line;
    }
  });
}
