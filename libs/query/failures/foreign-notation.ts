import { authorTokens } from '../dialect/author-tokens.js';
import type { Token } from '../search/statement-tokens.js';

/** Stand for a text in quotes, a number, and any one piece. */
const [TEXT, NUMBER, ANY] = ['<text>', '<number>', '<any>'];

const STRUCT = "structs are written CAST(ROW(1, 'x') AS STRUCT(a INTEGER, b VARCHAR)); map('a', 1, 'b', 2) holds values of one type"; // prettier-ignore
const APPLY = 'it is not read: join a grouped subquery by its keys';
const NAMES =
  'BY NAME is not read: UNION takes columns by their places, so write them in one order';
const SAMPLE = 'samples are not read: WHERE random() < 0.01';
const PIVOT = "PIVOT is not read: sum(x) FILTER (WHERE k = 'a') makes a column of one k";

/** Advice on a notation that is read of some functions. */
export const PASSED_NULLS =
  'IGNORE NULLS stands behind the brackets: last_value(x) IGNORE NULLS OVER (ORDER BY t)';
const FIRSTS = 'ORDER BY is not read there: argMin(x, y) is the x of the least y, argMax(x, y) that of the greatest'; // prettier-ignore

/** Notations of other systems that are not supported, each with its replacement. */
const NOTATIONS: readonly (readonly [instead: string, ...pieces: readonly string[]])[] = [
  ['POSITIONAL JOIN is not read: join by a column', 'POSITIONAL', 'JOIN'],
  [`LATERAL: ${APPLY}`, 'LATERAL', '('],
  [`OUTER APPLY: ${APPLY}`, 'OUTER', 'APPLY'],
  [`CROSS APPLY: ${APPLY}`, 'CROSS', 'APPLY'],
  [STRUCT, 'STRUCT_PACK', '('],
  [STRUCT, '{', TEXT, ':'],
  ['a && b is not read: a AND b, or hasAny(a, b) of lists', '&', '&'],
  ["GLOB is not read: x LIKE 'a%', or x ~ '^a.*$'", 'GLOB', TEXT],
  [PIVOT, 'PIVOT', '('],
  [PIVOT, 'PIVOT', ANY, 'ON'],
  ['UNPIVOT is not read: UNION ALL of one SELECT for each column', 'UNPIVOT'],
  ['SUMMARIZE is not read: DESCRIBE t tells the columns, SELECT min(x), max(x), count(x) FROM t what is in them', 'SUMMARIZE', ANY], // prettier-ignore
  [SAMPLE, 'USING', 'SAMPLE'],
  [SAMPLE, 'TABLESAMPLE'],
  [NAMES, 'UNION', 'BY', 'NAME'],
  [NAMES, 'UNION', 'ALL', 'BY', 'NAME'],
  ["COLLATE takes its name in quotes: ORDER BY x COLLATE 'de'", 'COLLATE'],
  ['CONNECT BY is not read: WITH RECURSIVE', 'CONNECT', 'BY'],
  ['TOP is not read: LIMIT at the end', 'SELECT', 'TOP', NUMBER],
  ['WITH ORDINALITY is not read: a second list counts, unnest(list) AS x, unnest(generate_series(1, len(list))) AS n', 'WITH', 'ORDINALITY'], // prettier-ignore
  ['EXCLUDE in a window frame is not read: without the current row it is sum(x) OVER (…) - x', 'EXCLUDE', 'CURRENT'], // prettier-ignore
  ['EXCLUDE in a window frame is not read', 'EXCLUDE', 'TIES'],
  ['EXCLUDE in a window frame is not read', 'EXCLUDE', 'GROUP'],
  [PASSED_NULLS, 'IGNORE', 'NULLS', ')'],
  [PASSED_NULLS, 'RESPECT', 'NULLS', ')'],
  [FIRSTS, 'FIRST', '(', ANY, 'ORDER', 'BY'],
  [FIRSTS, 'LAST', '(', ANY, 'ORDER', 'BY'],
  ["j #>> x takes its keys as a text: j #>> '{a,b}', or j -> 'a' ->> 'b'", '#>>'],
  ["j #> x takes its keys as a text: j #> '{a,b}', or j -> 'a' -> 'b'", '#>'],
  ["j ? 'a' is not read: has(json_keys(j), 'a')", '?', TEXT],
  ["j ?| … is not read: hasAny(json_keys(j), ['a', 'b'])", '?', '|'],
  ["j ?& … is not read: hasAll(json_keys(j), ['a', 'b'])", '?', '&'],
  ["x ^@ 'a' is not read: startsWith(x, 'a')", '^', '@'],
  ['[f(x) FOR x IN list] is not read: arrayMap(x -> f(x), list), and arrayFilter(x -> …, list) for IF', 'FOR', ANY, 'IN'], // prettier-ignore
  ['~x wants brackets there: 1 + (~x)', '+', '~'],
  ['~x wants brackets there: 1 - (~x)', '-', '~'],
  ['|/ x is not read: sqrt(x)', '|', '/'],
  ['||/ x is not read: cbrt(x)', '||', '/'],
  ['@ x is not read: abs(x)', 'SELECT', '@'],
  ['@ x is not read: abs(x)', '(', '@'],
  ['@ x is not read: abs(x)', ',', '@'],
  ['BETWEEN SYMMETRIC is not read: BETWEEN least(a, b) AND greatest(a, b)', 'BETWEEN', 'SYMMETRIC'],
  ["INTERVAL '1-2' YEAR TO MONTH is not read: INTERVAL 1 YEAR + INTERVAL 2 MONTH", 'YEAR', 'TO', 'MONTH'], // prettier-ignore
  ['MINUS is not read: EXCEPT', 'MINUS', 'SELECT'],
];

/**
 * Suggests the replacement for a notation of another system, in a statement that the engine cannot
 * read.
 * @returns undefined if there is none in it, or its pieces are ambiguous.
 */
export function foreignNotation(text: string): string | undefined {
  const pieces = authorTokens(text)?.map(pieceOf) ?? [];
  return NOTATIONS.find(([, ...wanted]) =>
    pieces.some((_, at) =>
      wanted.every((piece, index) => piece === ANY || pieces[at + index] === piece),
    ),
  )?.[0];
}

function pieceOf({ kind, text }: Token): string {
  if (kind === 'text') return TEXT;
  if (kind === 'number') return NUMBER;
  return kind === 'name' ? '' : text.toUpperCase();
}
