import { createInterface } from 'node:readline';

/**
 * Waits for a line that a program prints. What comes after it is read and let go.
 * @param {import('node:stream').Readable} output
 * @param {RegExp} pattern
 * @returns the match; undefined when the output ended without such a line
 */
export async function printedLine(output, pattern) {
  for await (const line of createInterface({ input: output })) {
    const found = pattern.exec(line);
    if (!found) continue;
    output.resume();
    return found;
  }
  return undefined;
}
