import { quoteText, readRawBinaryType, type Column, withoutNull } from '@app/warehouse';

const NUMBER = /^(?:U?Int|Float|Decimal)/;
const TIME = /^(?:DateTime64|Date32)/;
const INTEGER = /^U?Int/;

/** Tells whether a value of one type may be another value in the other type, and no error. */
export const mayChange = (from: string, to: string): boolean =>
  withoutNull(from) !== withoutNull(to) &&
  ([NUMBER, TIME].some((kind) => kind.test(withoutNull(from)) && kind.test(withoutNull(to))) ||
    // Times are whole seconds then.
    (TIME.test(withoutNull(from)) && INTEGER.test(withoutNull(to))));

/** Tells whether the engine would cut zeros off the end of bytes. */
export const losesZeros = (from: string, to: string): boolean =>
  withoutNull(from).startsWith('FixedString(') && readRawBinaryType(withoutNull(to)) !== undefined;

/**
 * Casts a value, and fails if it is another one then. The engine's own cast would keep the lowest
 * bits of 70000 for a type of 16 bits, and cut 1.239 for a decimal of two digits.
 * @param value SQL
 * @param about the column, for the message
 */
export function exactCast(
  value: string,
  { from, to, about }: { readonly from: string; readonly to: string; readonly about: string },
): string {
  const cast = `CAST(${value}, ${quoteText(to)})`;
  const isOther = `ifNull(CAST(${cast}, ${quoteText(`Nullable(${withoutNull(from)})`)}) != ${value}, 0)`;
  const message = `column ${JSON.stringify(about)} has a value that its type, ${to}, does not hold`;
  return `if(throwIf(${isOther}, ${quoteText(message)}) = 0, ${cast}, defaultValueOfTypeName(${quoteText(to)}))`;
}

/**
 * The types by which declared columns are read: their files' own ones, where the declared one might
 * change a value. They are then cast.
 */
export const readTypes = (
  declared: readonly Column[],
  there: readonly Column[],
): readonly Column[] =>
  declared.map((column) => {
    const own = there.find(({ name }) => name === column.name);
    return own && (mayChange(own.type, column.type) || losesZeros(own.type, column.type))
      ? own
      : column;
  });
