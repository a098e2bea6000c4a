// @ts-check
// Messages of one line each; plain JavaScript since the engine's process uses it too.

/**
 * Tells each line of a stream. Of one that was cut off, as by the end of who wrote it, nothing is
 * told; Node.js's readline tells it, and it ends lines at U+2028 too, which JSON has as it is.
 * @param {import('node:stream').Readable} stream @param {(line: string) => void} tell
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
