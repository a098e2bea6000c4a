import { fn, type ScalarFunction } from '../functions/scalar-function.js';

/** The engine counts negative places from the end, as DuckDB does. */
const PLACE = /^-?\s*0*[1-9]\d*$/;

/**
 * `substring(s, 0)` begins one place before the text, as in Postgres and DuckDB. The engine would
 * answer an empty text.
 */
const from = (name: string): ScalarFunction =>
  fn(2, 3, (text, place, length) => {
    if (PLACE.test(place))
      return `${name}(${[text, place, length].filter((each) => each !== undefined).join(', ')})`;
    const isBefore = `((${place}) = 0)`;
    const begin = `(${place}) + ${isBefore}`;
    return length === undefined
      ? `${name}(${text}, ${begin})`
      : `${name}(${text}, ${begin}, (${length}) - (${isBefore} AND ((${length}) > 0)))`;
  });

/** The functions by name, in lower case. */
export const SUBSTRINGS: Readonly<Record<string, ScalarFunction>> = {
  substring: from('substring'),
  substr: from('substring'),
  mid: from('substring'),
  substringutf8: from('substringUTF8'),
  substrutf8: from('substringUTF8'),
};
