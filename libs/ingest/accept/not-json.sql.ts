import { NESTING_MAX } from './nesting.sql.js';
import { STRUCTURAL } from './structural.js';

const BEYOND_64_BITS = `${STRUCTURAL}a number beyond 64 bits; send it as text`;
const HALF_A_PAIR = `${STRUCTURAL}a text with half of a surrogate pair (\\uD800 to \\uDFFF), which is no character`;
const MALFORMED = `${STRUCTURAL}malformed JSON, or nested deeper than ${NESTING_MAX} levels`;

/** Whether a reason is one of these. */
export const isNotJson = (reason: string): boolean =>
  [BEYOND_64_BITS, HALF_A_PAIR, MALFORMED].includes(reason);

/**
 * SQL tests for lines that the engine's parser refuses, each with the reason: it gives none. Two
 * are JSON by its grammar. They are told by taking away what they would be refused for: a line
 * that passes then was refused for nothing else. What is taken away within texts changes nothing.
 */
export function notJson(line: string): readonly (readonly [string, string])[] {
  const passesWithout = (pattern: string, instead: string, text = line): string =>
    `isValidJSON(replaceRegexpAll(${text}, '${pattern}', '${instead}'))`;
  // Backslashes are doubled twice: for the regular expression and for the statement.
  const noBackslashes = `replaceAll(${line}, '\\\\\\\\', '')`;
  return [
    [
      `NOT isValidJSON(${line}) AND ${passesWithout('[0-9]{19,}|[0-9][eE][+]?[0-9]{3,}', '1')}`,
      BEYOND_64_BITS,
    ],
    [
      `NOT isValidJSON(${line}) AND ${passesWithout('\\\\\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', 'x', noBackslashes)}`,
      HALF_A_PAIR,
    ],
    [`NOT isValidJSON(${line})`, MALFORMED],
  ];
}
