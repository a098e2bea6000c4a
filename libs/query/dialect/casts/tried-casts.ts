import { quoteText } from '@app/warehouse';
import { existingDay } from '../times/existing-day.js';
import { triedTimeOfDay } from '../times/casts-to-time.js';
import { DECIMAL_DIGITS_MAX, isInteger } from './known-type.js';
import { engineType } from './standard-type-names.js';
import { castType } from './value-types.js';

/** `TRY_CAST(value AS type)`: null where CAST would be an error. */
export function triedCast(value: string, name: string): string {
  const target = engineType(name);
  const type = castType(name);
  const cast = (from: string): string => `accurateCastOrNull(${from}, ${quoteText(target)})`;
  if (isInteger(type)) {
    const is = (name: string): string => `match(toTypeName(${value}), '${name}')`;
    // The engine raises an error for a decimal that does not fit into the integer. As a text it
    // becomes null.
    const decimal = `accurateCastOrNull(toString(${value}), 'Decimal(76, 20)')`;
    const digits = `toString(CAST(round(${decimal}), 'Nullable(Decimal(76, 0))'))`;
    const float = `round(accurateCastOrNull(${value}, 'Float64'))`;
    return `multiIf(${is('Decimal')}, ${cast(digits)}, ${is('Float')}, ${cast(float)}, ${cast(value)})`;
  }
  if (type.kind === 'time') return triedTimeOfDay(value, target);
  if (type.kind === 'date') return `if(${existingDay(value, cast(value))}, ${cast(value)}, NULL)`;
  if (type.kind !== 'decimal') return cast(value);
  const { precision, scale } = type;
  const digits = Math.min(scale + 1, DECIMAL_DIGITS_MAX - 1);
  const rounded = `round(accurateCastOrNull(${value}, 'Decimal(${DECIMAL_DIGITS_MAX}, ${digits})'), ${scale})`;
  const limit = `toDecimal256('1${'0'.repeat(precision - scale)}', 0)`;
  return `if(abs(${rounded}) < ${limit}, ${cast(rounded)}, NULL)`;
}
