import { MillraceError } from '@app/platform';
import type { EngineValue } from './engine-value.js';

/** Comments, quotes and `{name:Type}` are passed over. Quotes that nobody closes go to the end. */
const PIECE =
  /--[^\n]*|#[ !][^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^'\\]|\\[^]?|'')*'?|"(?:[^"\\]|\\[^]?|"")*"?|`(?:[^`\\]|\\[^]?|``)*`?|\{\s*\w+\s*:[^{}'"`]*\}|::|\.:|(?<mark>\?)|(?<![\w$])\$(?<number>\d{1,4})\b|(?<colon>:)|(?<open>\{)|(?<close>\})/g;

/** A place in a statement that a value is put into. */
interface Place {
  /** Of the value, from 0. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The places of values in a statement: `?`, each of the next value, or `$1`, `$2` and so on.
 * @throws {MillraceError} INVALID_SQL where both are there
 */
export function placesOf(statement: string): readonly Place[] {
  const [marks, numbered]: [Place[], Place[]] = [[], []];
  let depth = 0;
  let isChoice = false;
  for (const { 0: text, index: start, groups = {} } of statement.matchAll(PIECE)) {
    const end = start + text.length;
    if (groups['mark'] !== undefined) marks.push({ index: marks.length, start, end });
    const { number } = groups;
    if (number !== undefined) numbered.push({ index: Number(number) - 1, start, end });
    if (groups['open'] !== undefined) depth += 1;
    if (groups['close'] !== undefined) depth -= 1;
    // `a ? b : c` chooses between two.
    isChoice ||= groups['colon'] !== undefined && depth === 0 && marks.length > 0;
  }
  if (isChoice) return numbered;
  if (marks.length > 0 && numbered.length > 0)
    throw new MillraceError('INVALID_SQL', 'write the places of values as ? or as $1, not as both');
  return marks.length > 0 ? marks : numbered;
}

/** How many values a statement wants. */
export const valuesWanted = (places: readonly Place[]): number =>
  places.reduce((most, { index }) => Math.max(most, index + 1), 0);

/** A statement for the engine, with the values of its placeholders. */
interface BoundStatement {
  readonly sql: string;
  readonly values: Readonly<Record<string, string>>;
}

/** @throws {MillraceError} INVALID_PARAMETER where there are more values than places, or fewer */
export function bindPlaces(
  statement: string,
  values: readonly (EngineValue | undefined)[],
): BoundStatement {
  const places = placesOf(statement);
  const wanted = valuesWanted(places);
  if (wanted !== values.length)
    throw new MillraceError(
      'INVALID_PARAMETER',
      `the statement wants ${wanted} values, and ${values.length} were bound`,
    );
  const texts: Record<string, string> = {};
  let sql = '';
  let copied = 0;
  for (const { index, start, end } of places) {
    const value = values[index];
    sql += statement.slice(copied, start) + (value ? `{p${index + 1}:${value.type}}` : 'NULL');
    if (value) texts[`p${index + 1}`] = value.text;
    copied = end;
  }
  return { sql: sql + statement.slice(copied), values: texts };
}
