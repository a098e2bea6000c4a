import { quoteText } from '@app/warehouse';
import { LEAVES_64_BITS } from './exact-sums.js';

/** Types of results that may be another number than the exact one, without an error of the engine. */
const MAY_WRAP = '^(Nullable.)?(U?Int64|Dec)';

/**
 * Writes `+`, `-` or `*` of values whose types are known only when the engine reads them: an integer
 * or a decimal that overflows is an error. Floats of the values tell: they have 15 digits. Both
 * values are parameters of a lambda, since each is needed several times, and the text of sums within
 * one another would double at each level.
 */
export function watchedArithmetic(operator: string, a: string, b: string): string {
  const plain = `_a ${operator} _b`;
  const floats = ['_a', '_b', plain].map((value) => `[${asFloat(value)}]`).join(', ');
  const isApart = `arrayExists((_x, _y, _z) -> abs(_x ${operator} _y - _z) > (abs(_x) + abs(_y) + abs(_z)) / 1e9, ${floats})`;
  // The types are known before rows are read, so nothing more is computed for floats and times.
  const isOther = `if(match(toTypeName(${plain}), '${MAY_WRAP}'), throwIf(${isApart}, ${quoteText(LEAVES_64_BITS)}), 0)`;
  return `arrayMap((_a, _b) -> if(${isOther} = 0, ${plain}, ${plain}), [${a}], [${b}])[1]`;
}

/** The engine reads any value like this, also one that it could not make a number. */
const asFloat = (value: string): string => `(${value})::Dynamic::Nullable(Float64)`;
