import { quoteText } from '@app/warehouse';
import type { Known } from './known-type.js';

const WIDE = /^(U?)Int(128|256)$/;
/** Floats are read up to so many bits, also into wider types. */
const FLOAT_BITS = 128;
const HALF_BITS = 64;
/** The largest decimals have 76 digits, and so fewer than integers of 256 bits. */
const DECIMAL = 'Decimal(76, 0)';

export const isWideInteger = (target: string): boolean => WIDE.test(target);

/** A checked cast: where `isNone` is true, there is no such value. */
interface Checked {
  readonly value: string;
  readonly isNone: string;
}

/**
 * The cast of a float or of a text to an integer of more than 64 bits. The engine's own is not exact
 * for floats, and what is too large wraps.
 * @returns undefined for other values
 */
export function wideInteger(value: string, { kind }: Known, target: string): Checked | undefined {
  if (kind === 'float') return ofFloat(value, target);
  if (kind !== 'text') return undefined;
  const read = wideIntegerOfText(value, target);
  return { value: read, isNone: `isNull(${read}) AND isNotNull(${value})` };
}

/** The integer of a text; null where there is none. */
export function wideIntegerOfText(text: string, target: string): string {
  const read = `accurateCastOrNull(${text}, ${quoteText(target)})`;
  const decimal = (of: string): string => `accurateCastOrNull(${of}, ${quoteText(DECIMAL)})`;
  return `if(${decimal(`toString(${read})`)} = ${decimal(text)}, ${read}, NULL)`;
}

function ofFloat(value: string, target: string): Checked {
  const [, unsigned = ''] = WIDE.exec(target) ?? [];
  const limit = 2 ** (unsigned === '' ? FLOAT_BITS - 1 : FLOAT_BITS);
  const rounded = `round(${value})`;
  const isWithin = `(${rounded} >= ${unsigned === '' ? -limit : 0}) AND (${rounded} < ${limit})`;
  // Each half has as many bits as the engine converts without an error. Of a negative number the
  // lower half would not be exact as a float.
  const size = `abs(${rounded})`;
  const high = `floor(${size} / ${2 ** HALF_BITS})`;
  const low = `toUInt64(${size} - (${high} * ${2 ** HALF_BITS}))`;
  const whole = `bitShiftLeft(to${target}(toUInt64(${high})), ${HALF_BITS}) + ${low}`;
  return {
    value: `to${target}(${unsigned === '' ? `if(${rounded} < 0, -1, 1) * (${whole})` : whole})`,
    isNone: `ifNull(NOT (${isWithin}), 0)`,
  };
}
