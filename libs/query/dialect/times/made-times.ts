import { certain } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { moment, type Known } from '../casts/known-type.js';
import { fn } from '../functions/scalar-function.js';
import type { Node, Nodes } from '../source-tree.js';

const PROBLEM = 'a day or a time that is made of numbers does not exist, or is outside of the years 1900 to 2299'; // prettier-ignore

/** The engine would answer 1 January 1970, or another time, for numbers that make none. */
function checked(made: string, parts: readonly (readonly [read: string, part: string])[]): string {
  const others = parts.map(([read, part]) => `(${read}(${made}) != (${part}))`).join(' OR ');
  return `if(throwIf(ifNull(${others}, 0), ${quoteText(PROBLEM)}) = 0, ${made}, NULL)`;
}

export const madeDate = fn(3, 3, (year, month, day) =>
  checked(`makeDate32(${year}, ${month}, ${day})`, [
    ['toYear', year],
    ['toMonth', month],
    ['toDayOfMonth', day],
  ]),
);

export const madeTimestamp = fn(6, 6, (year, month, day, hour, minute, second) => {
  const whole = checked(
    `makeDateTime64(${year}, ${month}, ${day}, ${hour}, ${minute}, toUInt8(floor(${second})), 0, 6, 'UTC')`,
    [
      ['toYear', year],
      ['toMonth', month],
      ['toDayOfMonth', day],
      ['toHour', hour],
      ['toMinute', minute],
      ['toSecond', `floor(${second})`],
    ],
  );
  // The fraction is added, for it may be rounded to a second: 59.9999999.
  return `addMicroseconds(${whole}, toInt64(round(((${second}) - floor(${second})) * 1000000)))`;
});

/** True for a word that is the time of now, where no column has its name. */
export const isNow = (node: Node): boolean =>
  node.kind === 'word' && /^(?:current_timestamp|localtimestamp)$/i.test(node.text);

/** The type of a time that a function makes. */
export function madeMoment(name: string, items: readonly Nodes[]): Known {
  const [first = [], second = []] = items;
  // `TIMESTAMP '2024-01-01'`
  const isLocal = /^toDateTime64$/i.test(name) && items.length === 2 && first[0]?.kind === 'text';
  return { ...moment(digitsOf(name, second)), ...(isLocal && { isLocal }) };
}

/** The digits of fractions of a second in the result of a function; 0 if it does not say. */
function digitsOf(name: string, [number, more]: Nodes): number {
  const [, unit = ''] = /^fromUnixTimestamp64(Milli|Micro|Nano)$/i.exec(name) ?? [];
  if (unit !== '') return certain(FRACTION_DIGITS[unit.toLowerCase()], `digits of ${unit}`);
  const isSaid = /^toDateTime64$/i.test(name) && number?.kind === 'number' && more === undefined;
  return isSaid ? Number(number.text) : 0;
}

const FRACTION_DIGITS: Readonly<Record<string, number>> = { milli: 3, micro: 6, nano: 9 };
