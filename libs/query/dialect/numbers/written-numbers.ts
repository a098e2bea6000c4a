import { MillraceError } from '@app/platform';
import type { Rewritten } from '../notations/rewriting.js';
import { isValueBefore } from '../operands.js';
import { isSymbol, type Node, type Nodes } from '../source-tree.js';
import { DECIMAL_DIGITS_MAX } from '../casts/known-type.js';
import { exactNumber } from './exact-literals.js';

/**
 * A number that stands in the statement, so that the engine reads all its digits: `.5`, `1_000`,
 * and integers of more than 64 bits, with their sign.
 * @throws {MillraceError} INVALID_SQL for what no float holds
 */
export function writtenNumber(nodes: Nodes, at: number): Rewritten | undefined {
  const number = nodes[at];
  if (number?.kind !== 'number') return undefined;
  const text = number.text.replaceAll('_', '');
  if (/e/i.test(text) && !/^0x/i.test(text) && !Number.isFinite(Number(text)))
    throw new MillraceError('INVALID_SQL', `${text.slice(0, 40)} is beyond the numbers that a DOUBLE holds`); // prettier-ignore
  if (/^0x[\da-f]{17,}$/i.test(text) || isCastHexadecimal(text, nodes[at + 1]))
    return { text: digitsOfHexadecimal(text), end: at + 1 };
  // The engine knows `.5` only behind some signs.
  const isBare = text.startsWith('.') && !isValueBefore(nodes, at);
  const isNegative = isSymbol(nodes[at - 1], '-') && !isValueBefore(nodes, at - 1);
  return { text: exactNumber(isBare ? `0${text}` : text, isNegative), end: at + 1 };
}

/** `0xFF::VARCHAR`, of which the engine would read the text. */
const isCastHexadecimal = (text: string, next: Node | undefined): boolean =>
  isSymbol(next, '::') && /^0x[\da-f]+$/i.test(text);

/** The engine would make a float of more than 64 bits. */
function digitsOfHexadecimal(text: string): string {
  const digits = String(BigInt(text));
  if (digits.length <= DECIMAL_DIGITS_MAX) return exactNumber(digits);
  throw new MillraceError('INVALID_SQL', `${text.slice(0, 40)}… is beyond the numbers of ${DECIMAL_DIGITS_MAX} digits`); // prettier-ignore
}
