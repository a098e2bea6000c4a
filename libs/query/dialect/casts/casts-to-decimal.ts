import { quoteText } from '@app/warehouse';
import { NUMBER } from '../../plan/bound-value.js';
import { hasType, type Known } from './known-type.js';
import { trimmed } from './surrounding-blanks.js';

/** A float of any width as a Float64; null if it is something else. */
export const wideFloat = (value: string): string => `accurateCastOrNull(${value}, 'Float64')`;

/** The engine's numbers of 64 bits hold a float's digits up to this precision. */
const PRECISION_OF_64_BITS = 18;

/**
 * Casts a value to a decimal: null if it is a text that is no number, as `-`, `.` and `e5`, which the
 * engine takes for 0, and `1.2.3`, which it takes for 1.23. The engine makes a decimal of a float by
 * way of 64 bits if it is a Float32, which gave 9.223372036854775808, and of 256 bits if it is a
 * Float64, which gave 0.50000000000000000001. So a float becomes a Float64, or a text where there
 * are more digits.
 * @param to the type that is cast to
 * @param cast writes the cast of what it is given
 */
export function castToDecimal(
  from: Known,
  value: string,
  to: Known,
  cast: (from: string) => string,
): string {
  const float = to.precision > PRECISION_OF_64_BITS ? `toString(${value})` : wideFloat(value);
  if (from.kind === 'float') return cast(float);
  const ofText = (text: string): string =>
    `if(match(${text}, ${quoteText(NUMBER.source)}), ${cast(text)}, NULL)`;
  if (from.kind === 'text') return ofText(value);
  if (from.kind !== 'unknown') return cast(value);
  const text = trimmed(`toString(${value})`);
  // A subquery is computed at each place where it stands.
  if (/\(\s*SELECT\b/i.test(value)) return ofText(text);
  return `multiIf(${hasType(value, 'Float')}, ${cast(float)}, ${hasType(value, 'String|Dynamic|Variant|JSON')}, ${ofText(text)}, ${cast(value)})`;
}
