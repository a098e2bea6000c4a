import { brokenTable } from '../sources/table-folder.js';

const ALPHABET =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const DIGITS: ReadonlyMap<string, number> = new Map(
  [...ALPHABET].map((character, index) => [character, index]),
);
const GROUP = 5;
const GROUP_BYTES = 4;
const LARGEST = 0xffffffff;

/**
 * Undoes ZeroMQ's base 85: four bytes are five characters.
 * @throws {MillraceError} MALFORMED_BODY when it is not that.
 */
export function fromZ85(text: string, name: string): Buffer {
  const bytes = Buffer.alloc((text.length / GROUP) * GROUP_BYTES);
  for (let at = 0; at < text.length; at += GROUP) {
    const digits = [...text.slice(at, at + GROUP)].map((each) => DIGITS.get(each) ?? NaN);
    const value = digits.reduce((sum, digit) => sum * ALPHABET.length + digit, 0);
    if (digits.length < GROUP || !(value <= LARGEST)) throw brokenTable(`${name} is not Z85`);
    bytes.writeUInt32BE(value, (at / GROUP) * GROUP_BYTES);
  }
  return bytes;
}
