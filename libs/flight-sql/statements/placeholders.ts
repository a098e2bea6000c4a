import { MillraceError } from '@app/platform';
import type { EngineValue } from './engine-value.js';

/**
 * Comments, quotes and `{name:Type}` are passed over. Quotes that nobody closes go to the end.
 * Words and brackets tell what a mark stands behind, and which colon is its own.
 */
const PIECE =
  /--[^\n]*|#[ !][^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^'\\]|\\[^]?|'')*'?|"(?:[^"\\]|\\[^]?|"")*"?|`(?:[^`\\]|\\[^]?|``)*`?|\{\s*\w+\s*:[^{}'"`]*\}|::|\.:|(?<mark>\?)|(?<![\w$])\$(?<number>\d{1,4})\b|(?<colon>:)|(?<open>[{[(])|(?<close>[}\])])|(?<word>[\w$]+)|(?<blank>\s+)|[^]/g;

/** A piece of a statement: its first character, and the one behind it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place in a statement that a value is put into. */
interface Place extends Span {
  /** The index of the value, from 0. */
  readonly index: number;
}

/** Words that a value follows; behind any other word a mark begins a choice, if a colon of its own comes. */
const BEFORE_VALUE =
  /^(?:select|distinct|where|prewhere|having|qualify|on|and|or|not|in|like|ilike|between|is|case|when|then|else|by|limit|interval|div|mod)$/i;
const IS_COMMENT = /^(?:--|#[ !]|\/\*)/;

/**
 * Finds the places of values in a statement: `?`, each for the next value, or `$1`, `$2` and so on.
 * The mark of `a ? b : c`, which chooses between two values, is not a place.
 * @throws {MillraceError} INVALID_SQL where both are there
 */
export function placesOf(statement: string): readonly Place[] {
  const [marks, numbered]: [Span[], Place[]] = [[], []];
  const choices = new Set<Span>();
  /** The marks behind an operand in each bracket that is open, each of which may be a choice. */
  const open: Span[][] = [[]];
  let isOperandBefore = false;
  for (const { 0: text, index: start, groups = {} } of statement.matchAll(PIECE)) {
    if (groups['blank'] !== undefined || IS_COMMENT.test(text)) continue;
    const end = start + text.length;
    if (groups['mark'] !== undefined) {
      const mark = { start, end };
      marks.push(mark);
      if (isOperandBefore) open.at(-1)?.push(mark);
    }
    const { number } = groups;
    if (number !== undefined) numbered.push({ index: Number(number) - 1, start, end });
    if (groups['open'] !== undefined) open.push([]);
    if (groups['close'] !== undefined && open.length > 1) open.pop();
    const chosen = groups['colon'] === undefined ? undefined : open.at(-1)?.pop();
    if (chosen) choices.add(chosen);
    isOperandBefore = isOperand(text, groups, isOperandBefore);
  }
  const places = marks.filter((mark) => !choices.has(mark)).map((mark, index) => ({ ...mark, index })); // prettier-ignore
  if (places.length > 0 && numbered.length > 0)
    throw new MillraceError('INVALID_SQL', 'write the places of values as ? or as $1, not as both');
  return places.length > 0 ? places : numbered;
}

/** Tells whether a value ends with this piece. */
function isOperand(
  text: string,
  { mark, word, number, close }: Readonly<Record<string, string | undefined>>,
  isOperandBefore: boolean,
): boolean {
  // A mark behind an operand chooses between two values, so a value follows it.
  if (mark !== undefined) return !isOperandBefore;
  if (word !== undefined) return !BEFORE_VALUE.test(word);
  return number !== undefined || close !== undefined || /^['"`{]./s.test(text);
}

/** Tells how many values a statement wants. */
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
    const place = `{p${index + 1}:${value?.type}}`;
    const written = value?.isHex ? `unhex(${place})` : place;
    sql += statement.slice(copied, start) + (value ? written : 'NULL');
    if (value) texts[`p${index + 1}`] = value.text;
    copied = end;
  }
  return { sql: sql + statement.slice(copied), values: texts };
}
