import { quoteText } from '@app/warehouse';
import { castToDecimal, wideFloat } from './casts-to-decimal.js';
import { existingDay } from '../times/existing-day.js';
import { isMoment } from '../times/casts-to-moment.js';
import { triedTimeOfDay } from '../times/casts-to-time.js';
import type { Nodes } from '../source-tree.js';
import { DECIMAL_DIGITS_MAX, hasType, isInteger, type Known } from './known-type.js';
import { castType, engineType } from './standard-type-names.js';
import { withoutBlanks } from './surrounding-blanks.js';
import { isWideInteger, wideInteger, wideIntegerOfText } from './wide-integers.js';

function triedWideInteger(value: string, type: Known, target: string): string | undefined {
  if (type.kind === 'text') return wideIntegerOfText(value, target);
  const wide = wideInteger(value, type, target);
  return wide && `if(${wide.isNone}, NULL, ${wide.value})`;
}

interface TriedValue {
  readonly nodes: Nodes;
  readonly type: Known;
  readonly value: string;
}

/** `TRY_CAST(value AS type)`: null where CAST would be an error. */
export function triedCast(source: TriedValue, name: string): string {
  const { value } = withoutBlanks(source);
  const target = engineType(name);
  const type = castType(name);
  const cast = (from: string): string => `accurateCastOrNull(${from}, ${quoteText(target)})`;
  if (isWideInteger(target)) {
    // The engine would cut the fraction off.
    const whole = source.type.kind === 'decimal' ? `round(${value})` : value;
    return triedWideInteger(value, source.type, target) ?? cast(whole);
  }
  if (isInteger(type)) {
    const is = (name: string): string => hasType(value, name);
    // The engine raises an error for a decimal that does not fit into the integer. As a text it
    // becomes null.
    const decimal = `accurateCastOrNull(toString(${value}), 'Decimal(76, 20)')`;
    const digits = `toString(CAST(round(${decimal}), 'Nullable(Decimal(76, 0))'))`;
    const float = `round(${wideFloat(value)})`;
    return `multiIf(${is('Decimal')}, ${cast(digits)}, ${is('Float')}, ${cast(float)}, ${cast(value)})`;
  }
  if (type.kind === 'time') return triedTimeOfDay(value, target);
  if (type.kind === 'moment') return `if(${isMoment(value, source.type)}, ${cast(value)}, NULL)`;
  if (type.kind === 'date') return `if(${existingDay(value, cast(value))}, ${cast(value)}, NULL)`;
  if (type.kind !== 'decimal') return cast(value);
  const { precision, scale } = type;
  const digits = Math.min(scale + 1, DECIMAL_DIGITS_MAX - 1);
  const decimal = quoteText(`Decimal(${DECIMAL_DIGITS_MAX}, ${digits})`);
  const read = castToDecimal(source.type, value, type, (from) => `accurateCastOrNull(${from}, ${decimal})`); // prettier-ignore
  const rounded = `round(${read}, ${scale})`;
  const limit = `toDecimal256('1${'0'.repeat(precision - scale)}', 0)`;
  return `if(abs(${rounded}) < ${limit}, ${cast(rounded)}, NULL)`;
}
