import { quoteText } from '@app/warehouse';
import { constantOf, textOf } from '../numbers/constants.js';
import type { Nodes } from '../source-tree.js';
import { DECIMAL_DIGITS_MAX, isExact, UINT64_DIGITS, type Known } from '../casts/known-type.js';

/**
 * With so many digits a literal needs more than 32 bits, so the engine gives it 64. It has no
 * common type for such an integer and a float.
 */
const LONG_DIGITS = 10;

/**
 * Finds casts for values of different types in one column or one choice. If no single type holds
 * two types, the engine makes a value of both, which it can neither sort nor add up.
 * @param types undefined for NULL.
 * @returns for each of them the type to cast it to, if any.
 */
export function bridgesOf(types: readonly (Known | undefined)[]): readonly (string | undefined)[] {
  const none = types.map(() => undefined);
  const known = types.filter((type) => type !== undefined);
  if (known.some(isBytes) && !known.every((type) => isBytes(type) || type.isEmpty))
    return types.map((type) => (type && isBytes(type) ? 'String' : undefined));
  if (known.some((type) => type.kind !== 'float' && !isExact(type))) return none;
  const has = (kind: Known['kind']): boolean => known.some((type) => type.kind === kind);
  const isFloat = has('float') || (has('fraction') && !has('decimal'));
  if (isFloat) {
    const isWide = known.some((type) => type.kind === 'decimal' || isLong(type));
    return isWide ? types.map((type) => (type && isExact(type) ? 'Float64' : undefined)) : none;
  }
  if (has('decimal')) return decimalBridges(types, known);
  if (!has('signed')) return none;
  const isMixed = known.some(isLongUnsigned);
  return types.map((type) => {
    if (type?.kind === 'count') return 'Int64';
    const isAny = type && (type.kind === 'signed' || isLongUnsigned(type));
    return isMixed && isAny ? `Decimal(${UINT64_DIGITS}, 0)` : undefined;
  });
}

function decimalBridges(
  types: readonly (Known | undefined)[],
  known: readonly Known[],
): readonly (string | undefined)[] {
  const scale = Math.max(...known.map((type) => type.scale));
  const whole = Math.max(...known.map((type) => type.precision - type.scale));
  const precision = Math.min(whole + scale, DECIMAL_DIGITS_MAX);
  return types.map((type) =>
    type === undefined || (type.kind === 'decimal' && type.scale === scale)
      ? undefined
      : `Decimal(${precision}, ${scale})`,
  );
}

/**
 * Bytes are written as base64. Beside another text they count as that text, and not as other bytes.
 */
const isBytes = ({ bytes }: Known): boolean => bytes !== undefined;

const isLong = ({ kind, precision }: Known): boolean =>
  kind !== 'fraction' && precision >= LONG_DIGITS;
const isLongUnsigned = ({ kind, precision }: Known): boolean =>
  (kind === 'unsigned' || kind === 'literal') && precision === UINT64_DIGITS;

/**
 * Writes a value as that type. A constant is written with its digits, and not as the engine's
 * float.
 */
export function bridged(value: string, type: string, nodes: Nodes): string {
  const constant = constantOf(nodes);
  return `CAST(${constant ? quoteText(textOf(constant)) : value}, ${quoteText(type)})`;
}
