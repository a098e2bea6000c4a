import { quoteText } from '@app/warehouse';
import { ESCAPED_FIELD_NAME, escapeRegex, SPELLED_ONE_WAY } from './suspicion.js';

/** An integer of 16 digits and more, alone or in an array; with a fraction or an exponent it is none. */
const LONG_INTEGER = '(?:\\[(?:[^\\]]*[,\\s])?)?-?[0-9]{16,}\\s*[,}\\]]';

/**
 * SQL: which of these fields of `line` may hold an integer that is written as one and is long. The
 * engine's parser writes back 1e17 as such, which loses nothing as a float. It may be too many, never too few.
 */
export function writtenIntegers(names: readonly string[]): string {
  const all = `CAST([${names.map(quoteText).join(', ')}], 'Array(String)')`;
  const plain = names.filter((name) => SPELLED_ONE_WAY.test(name));
  if (plain.length === 0) return all;
  const others = names.filter((name) => !SPELLED_ONE_WAY.test(name)).map(quoteText);
  const pattern = `"(${plain.map(escapeRegex).join('|')})"\\s*:\\s*${LONG_INTEGER}`;
  return (
    `if(match(line, ${quoteText(ESCAPED_FIELD_NAME)}), ${all},` +
    ` arrayConcat([${others.join(', ')}], extractAll(line, ${quoteText(pattern)})))`
  );
}
