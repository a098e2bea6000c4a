import { certain } from '@app/platform';
import { quoteIdentifier, WarehouseError, type Column, type SourceEngine } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, type Settings, type Source } from '../../sources/source.js';
import { inStatements, withoutScreened, type Doubtful } from './doubtful-places.js';
import { isShort } from '../csv/uneven-records.js';
import { doubtOf } from './doubts.js';
import { leavesOf, withLeaves } from './leaves.js';

/** This many rows are checked if they come from another machine. */
const FAR_ROWS = 100_000;
export const TEXT = 'Nullable(String)';
const NANOSECONDS = "Nullable(DateTime64(9, 'UTC'))";
const SHOWN_MAX = 40;

/** The engine's names of errors in the bytes of a file. */
export const BROKEN =
  /^(?:CANNOT_(?:PARSE|READ)_\w+|INCORRECT_DATA|ATTEMPT_TO_READ_AFTER_EOF|UNEXPECTED_END_OF_FILE)$/;
/** With these it says that a record has more than the columns. */
export const ALL_FIELDS: Settings = {
  input_format_skip_unknown_fields: '0',
  input_format_json_ignore_unknown_keys_in_named_tuple: '0',
};
const MORE_FIELDS =
  /Unknown field found while parsing \w+ format: (.*?)(?:: \(at row|$)|elements in named tuple/s;

/** The columns of a source whose types are to be looked at. */
export interface TypedColumns {
  readonly columns: readonly Column[];
  readonly notation: 'csv' | 'json';
  /** Somebody declared the columns, so records may have further fields. */
  readonly areDeclared: boolean;
  /** Names of columns whose values are in the names of folders. */
  readonly folders: ReadonlySet<string>;
}

/** The values that would be read differently from how they are written, with their columns. */
export interface Misfits {
  /** Types that hold the written values; a column that is not named stays as it was. */
  readonly columns: readonly Column[];
  /** An example for each column that changes, as it is written. */
  readonly values: ReadonlyMap<string, string>;
  /**
   * A field that is no column, if there is one. A field within an object is reported without its
   * name.
   */
  readonly field?: UnknownField;
}

interface UnknownField {
  readonly name: string | undefined;
}

/**
 * Looks for values that the engine would read as others. It reads `01/02/2020` as the first of
 * February beside `12/31/2019`, makes a time of `2020-01-01-001`, rounds integers of 20 digits, and
 * takes `true` beside numbers for 1, and what 64 bits do not hold for what is left of it.
 * Every row of files on this machine is read for it.
 */
export async function misfitsOf(
  typed: TypedColumns,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<Misfits> {
  const { columns, notation, areDeclared } = typed;
  const doubtful = columns.flatMap((column) => doubtsOf(column, typed, source));
  const isAll = notation === 'json' && !areDeclared;
  const [...others] = columns;
  const values = new Map<string, string>();
  if (doubtful.length === 0 && !isAll) return { columns, values };
  const asTexts = columns.map(({ name, type }) => {
    const ats = doubtful.filter(({ column }) => column.name === name).map(({ at }) => at);
    const leaves = leavesOf('', type);
    const text = (at: number): string | undefined => (ats.includes(at) ? TEXT : undefined);
    return { name, type: leaves.length === 0 ? type : withLeaves(type, text) };
  });
  const read = { asTexts, isAll, source, statements };
  const screened = await withoutScreened(doubtful, (some) => lookAt(some, read));
  for (const some of inStatements(screened)) {
    const answer = await lookAt(some, read);
    if (answer === undefined) return { columns, values };
    if ('name' in answer) return { columns, values, field: answer };
    for (const [index, { column, at }] of some.entries()) {
      const [isOther, isFiner, isFar, shown] = answer.slice(index * 4, index * 4 + 4);
      const type = isOther || (isFiner && isFar) ? TEXT : isFiner ? NANOSECONDS : undefined;
      if (type === undefined) continue;
      const place = columns.indexOf(column);
      const before = others[place]?.type ?? column.type;
      others[place] = { name: column.name, type: withLeaves(before, (each) => each === at ? type : undefined) }; // prettier-ignore
      values.set(column.name, String(shown));
    }
  }
  return { columns: others, values };
}

function doubtsOf(
  column: Column,
  { notation, areDeclared, folders }: TypedColumns,
  { csv }: Pick<Source, 'csv'>,
): readonly Doubtful[] {
  // In CSV a list is one text.
  if (notation === 'csv' && isComposite(column.type)) return [];
  if (folders.has(column.name)) return [];
  const written = notation === 'csv' && areDeclared ? 'declared csv' : notation;
  return leavesOf(quoteIdentifier(column.name), column.type).flatMap((leaf, at) => {
    // A declared boolean may be written as 1 and yes, too.
    const isAsked = areDeclared && leaf.type === 'Bool';
    if (isAsked || !doubtOf('', leaf.type, written)) return [];
    const isPadded = notation === 'csv' && mayBePadded(leaf.type, areDeclared, csv?.delimiter);
    const bare = (value: string): string => (isPadded ? `trimBoth(${value})` : value);
    type Which = 'isOther' | 'isFiner' | 'isFar';
    const condition = (which: Which, value: string): string => {
      const doubt = doubtOf(bare(value), leaf.type, written)?.[which] ?? '0';
      return `(${doubt})${areDeclared ? ` AND ${isTaken(value)}` : ''}`;
    };
    const test = (which: Which): string =>
      leaf.some((value) => `ifNull(${condition(which, value)}, 0)`);
    const isOther = test('isOther');
    const value = leaf.some((each) => each);
    const isSingle = !value.startsWith('arrayExists');
    // A list cannot show such an example.
    const shown = isSingle ? `leftUTF8(ifNull(anyIf(${value}, ${isOther}), ''), ${SHOWN_MAX})` : "''"; // prettier-ignore
    const tests = [isOther, test('isFiner'), test('isFar')].map((each) => `max(${each})`);
    const own = { column, at, tests: [...tests, shown], ...(isSingle && { value }) };
    const isOdd = (each: string): string =>
      `ifNull(${condition('isOther', each)}, 0) OR ifNull(${condition('isFiner', each)}, 0)`;
    return [{ ...own, sort: `${leaf.type} ${isPadded}`, isOdd }];
  });
}

/**
 * Blanks around a number of CSV do not belong to it, unless they stand between fields. All other values
 * have theirs.
 */
const mayBePadded = (type: string, isDeclared: boolean, delimiter = ','): boolean =>
  (isDeclared || /^(?:U?Int|Float|Decimal)/.test(type)) && ![' ', '\t'].includes(delimiter);

/** For other texts the engine itself reports that they are no numbers and no times. */
const isTaken = (value: string): string =>
  `(${value} IN ('', 'true', 'false') OR match(${value}, '^ *[-+]?[0-9]'))`;

/** Tells whether values of the type have others within them. */
export const isComposite = (type: string): boolean =>
  /^(?:Nullable\()?(?:Array|Map|Tuple)\(/.test(type);

interface Reading {
  readonly asTexts: readonly Column[];
  readonly isAll: boolean;
  readonly source: Source;
  readonly statements: SourceEngine['statements'];
}

/**
 * @returns the results of the checks, or the field that is no column; undefined: a row is broken
 */
async function lookAt(
  doubtful: readonly Doubtful[],
  { asTexts, isAll, source, statements }: Reading,
): Promise<readonly unknown[] | UnknownField | undefined> {
  const names = new Set(doubtful.map(({ column }) => quoteIdentifier(column.name)));
  const wanted = isAll ? '*' : [...names].join(', ');
  const bound = source.files === undefined ? ` LIMIT ${FAR_ROWS}` : '';
  const tests = doubtful.flatMap((each) => each.tests);
  if (isAll) tests.push('count(ignore(*))');
  if (tests.length === 0) return [];
  const settings = { ...source.settings, ...(isAll && ALL_FIELDS) };
  const sql =
    `SELECT ${tests.join(', ')} FROM (SELECT ${wanted} FROM ${source.call(asTexts)}${bound})` +
    `${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  try {
    return JSON.parse(await statements.run(sql)) as readonly unknown[];
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    const more = MORE_FIELDS.exec(error.message);
    if (more) return { name: more[1] };
    if (isShort(error)) throw error;
    // A broken row reports itself, with its place, when it is read.
    if (BROKEN.test(error.type)) return undefined;
    throw error;
  }
}

/** Refuses declared columns that do not hold what is written there. @throws {SourceError} that names one of them */
export async function refuseMisfits(
  typed: TypedColumns,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<void> {
  // Files may appear later, or may be broken. That is reported when they are read.
  const misfits = await misfitsOf(typed, source, statements).catch((error: unknown) => {
    if (error instanceof WarehouseError && !isShort(error)) return undefined;
    throw error;
  });
  for (const [name, value] of misfits?.values ?? []) {
    const { type } = certain(
      typed.columns.find((each) => each.name === name),
      'column with such a value',
    );
    throw new SourceError(
      `column ${JSON.stringify(name)} has ${value === '' ? 'values' : JSON.stringify(value)} that its type, ${type}, does not hold: declare another one, or Utf8`,
    );
  }
}
