import { quoteText } from '@app/warehouse';
import { fn } from '../functions/scalar-function.js';

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
