import { certain } from '@app/platform';
import { WarehouseError, type Column, type SourceEngine } from '@app/warehouse';
import { engineType } from '../../arrow-data-type.js';
import { SourceError } from '../../sources/source-error.js';
import {
  ALL_BYTES,
  INFERENCE_BYTES,
  OF_ALL_FILES,
  OF_BEGINNINGS,
} from '../../sources/engine-format.js';
import type { Settings, Source } from '../../sources/source.js';
import type { DescribedColumn, DescribedTable } from '../../table-description.js';
import { MICROSECONDS } from '../check/doubts.js';
import { leavesOf, withLeaves } from '../check/leaves.js';
import { isLarge, withLargeAsText } from '../check/json-places.js';
import { refuseFaultyFooters } from '../check/faulty-footers.js';
import {
  isComposite,
  misfitsOf,
  refuseMisfits,
  type Misfits,
  type TypedColumns,
} from '../check/written-values.js';
import type { SeenFiles } from '../seen-files.js';
import { arePlain } from '../check/plain-values.js';
import { withDaysAndTruths } from '../csv/days-and-truths.js';
import { withQuotedTexts } from '../check/quoted-in-lists.js';
import { mayQuoteNumbers } from '../check/quoted-numbers.js';
import { withMoments } from './delta-moments.js';
import { describeColumns } from './describe-columns.js';
import { headerRow } from '../csv/header-names.js';
import { withTimesOfDay } from './inferred-times.js';

export const declared = (columns: readonly DescribedColumn[]): readonly Column[] =>
  columns.map(({ name, dataType, nullable }) => ({ name, type: engineType(dataType, nullable) }));

interface Inferring {
  readonly statements: SourceEngine['statements'];
  /** It is undefined where nobody has looked at the source's files. */
  readonly seen: SeenFiles | undefined;
  /** The names of columns whose values are in the names of folders are added to it. */
  readonly folders: Set<string>;
}

/**
 * Columns of a source as the engine finds them, or as its description declares them.
 * @throws {SourceError} where it has a column whose values the engine would change
 */
export async function inferColumns(
  { columns, options, partitionColumns = [] }: DescribedTable,
  opened: Source,
  { statements, seen, folders }: Inferring,
): Promise<readonly Column[]> {
  const isJson = opened.inferred && options.format !== 'csv' && !columns;
  const source = isJson ? await withLargeAsText(opened, statements) : opened;
  for (const { name } of partitionColumns) folders.add(name);
  for (const [, name = ''] of source.shown.matchAll(/\/([^/=]+)=[^/]*(?=\/)/g)) folders.add(name);
  const isArrow = options.format === 'arrow' || options.format === 'arrows';
  const notation = options.format === 'csv' ? 'csv' : 'json';
  if (columns && !isArrow) {
    const asked = declared(columns);
    await refuseFaultyDeclared(source, statements);
    if (source.inferred && source.files !== undefined)
      await refuseMisfits({ columns: asked, notation, areDeclared: true, folders }, source, statements); // prettier-ignore
    return asked;
  }
  const ask: Ask = (inference) => describeColumns(source, inference, statements);
  if (columns) {
    const read = new Set(columns.map(({ name }) => name));
    const there = await ask(source.inference).catch(whereNothingIs);
    refuseLongDates(there.filter(({ name }) => read.has(name)));
    return declared(columns);
  }
  const find = async (inference: Settings): Promise<readonly Column[]> => {
    const told = await withoutRows({ ...source, inference }, statements, ask);
    await refuseFaultyFooters(source, statements);
    const timed = await withTimesOfDay(told, source, statements);
    const found = [...(await withMoments(timed, source, statements))];
    if (source.many && 'schema_inference_mode' in inference) {
      // If it is asked for all files together, the engine leaves out columns that are in folders'
      // names.
      const known = new Set(found.map(({ name }) => name));
      const first = await ask({ ...inference, ...OF_FIRST_FILE }).catch(whereNoRowIs);
      const ofFolders = first.filter(({ name }) => !known.has(name));
      for (const { name } of ofFolders) folders.add(name);
      found.push(...ofFolders);
    }
    if (isArrow) refuseLongDates(found);
    const ofAll = await typesByName(source, inference, statements);
    for (const [at, column] of found.entries())
      found[at] = { name: column.name, type: ofAll.get(column.name) ?? column.type };
    return found;
  };
  const typed = source.inferred
    ? await holdingAll(find, { notation, folders, seen }, { source, statements })
    : await find(source.inference);
  const headless = options.format === 'csv' && !options.hasHeader;
  const { names } = source;
  // The engine calls columns without names c1, c2, …; folders' names stay.
  return typed.map(({ name, type }) => ({
    name:
      headless || names
        ? name.replace(/^c(\d+)$/, (_, n: string) => names?.[Number(n) - 1] ?? `column_${n}`)
        : name,
    type,
  }));
}

/**
 * Gives inferred columns types that hold what is written there; as text, where there is no other. It
 * takes far longer to look for types than to look whether values have them. So it is done for a
 * beginning of each file first, and for more where one of all the rows leaves a doubt.
 * @param find finds the columns
 * @throws {SourceError} where a record has a field that is none of them
 */
async function holdingAll(
  find: (inference: Settings) => Promise<readonly Column[]>,
  { notation, folders, seen }: Pick<TypedColumns, 'notation' | 'folders'> & Pick<Inferring, 'seen'>,
  { source, statements }: Pick<Inferring, 'statements'> & { readonly source: Source },
): Promise<readonly Column[]> {
  const { inference, files, stamp } = source;
  const bytes = (await stamp?.())?.bytes ?? Infinity;
  const typed = (found: readonly Column[]): TypedColumns => {
    const columns = found.map(({ name, type }) => ({ name, type: settledType(type, notation) }));
    return { columns, notation, areDeclared: false, folders };
  };
  const areTruthsBare = seen?.haveQuotedWords === false;
  const reading = { folders, areTruthsBare, source, statements };
  const isQuick = notation === 'json' || areTruthsBare;
  if (isQuick && files !== undefined && bytes > SMALL_BYTES) {
    // A failure is told when it is done for more.
    const begun = await find({ ...inference, ...OF_BEGINNINGS }).catch(() => []);
    const quick = typed(begun);
    if (begun.length > 0 && (await arePlain(quick, source, statements)))
      return notation === 'csv' ? withDaysAndTruths(quick.columns, reading) : quick.columns;
  }
  const look = (found: readonly Column[]): Promise<Misfits> =>
    misfitsOf(typed(found), source, statements);
  let misfits = await look(await find(inference));
  const isFar = files !== undefined && bytes > INFERENCE_BYTES;
  const isSome = misfits.values.size > 0 || misfits.field !== undefined;
  const mayBeTexts = async (): Promise<boolean> =>
    notation === 'json' && mayQuoteNumbers(misfits.columns, source, statements);
  // They may be where nobody looked for types.
  if (isFar && (isSome || (await mayBeTexts()))) {
    await seen?.lookAtAll?.();
    misfits = await find({ ...inference, ...ALL_BYTES }).then(look, (error: unknown) => {
      // The engine finds no type for integers of more than 20 digits; as text they stay unchanged.
      if (error instanceof WarehouseError) return misfits;
      throw error;
    });
  }
  const { field, columns } = misfits;
  if (field === undefined) {
    if (files === undefined) return columns;
    return notation === 'json'
      ? withQuotedTexts(columns, source, statements)
      : withDaysAndTruths(columns, reading);
  }
  throw new SourceError(
    field.name === undefined
      ? 'an object has a field that was not found when columns were looked for, or one of its fields twice: declare the columns in `schema`'
      : field.name === ''
        ? 'a record has a field without a name (""), which no column can have: give it one, or declare the columns that are wanted in `schema`'
        : `a record has a field ${JSON.stringify(field.name)} that was not found when columns were looked for: declare the columns in \`schema\``,
  );
}

/**
 * The engine calls Arrow's dates of 64 bits `DateTime` and keeps 32 bits of their seconds, whatever
 * type it is asked for: 1965 would be 2101. All other times of Arrow are `DateTime64` to it.
 */
function refuseLongDates(columns: readonly Column[]): void {
  const date = columns.find(({ type }) =>
    leavesOf('', type).some((leaf) => /^DateTime(?:\(|$)/.test(leaf.type)),
  );
  if (!date) return;
  throw new SourceError(
    `column ${JSON.stringify(date.name)} has Arrow's dates of 64 bits (date64), which cannot be read here without changing those before 1970 and after 2106: write it as date32 or timestamp`,
  );
}

/** Types that all files have together, of columns that are read by their places. */
async function typesByName(
  { names = [], byNames }: Source,
  inference: Settings,
  statements: SourceEngine['statements'],
): Promise<ReadonlyMap<string, string>> {
  if (!byNames) return new Map();
  // One of them has names alone: then the values of all are looked at, by the types of the first.
  const told = await describeColumns(byNames, { ...inference, ...OF_ALL_FILES }, statements).catch(
    whereNoRowIs,
  );
  return new Map(
    told.flatMap(({ name, type }): [string, string][] => {
      const at = names.indexOf(name);
      return at < 0 ? [] : [[`c${at + 1}`, type]];
    }),
  );
}

/** Files of declared columns may come later, or be damaged, which is told when they are read. */
async function refuseFaultyDeclared(
  source: Source,
  statements: SourceEngine['statements'],
): Promise<void> {
  await refuseFaultyFooters(source, statements, true).catch((error: unknown) => {
    if (!(error instanceof WarehouseError)) throw error;
  });
}

/** Declared columns need no file yet. */
function whereNothingIs(error: unknown): readonly Column[] {
  const isNothing =
    error instanceof WarehouseError && error.type === 'CANNOT_EXTRACT_TABLE_STRUCTURE';
  if (isNothing) return [];
  throw error;
}

/** All rows of a smaller file are looked at as if they were its first ones. */
const SMALL_BYTES = 256 * 1024;
const OF_FIRST_FILE: Settings = { schema_inference_mode: "'default'" };
/** The engine finds no columns if no row follows the names. */
const NO_ROWS = /EMPTY_DATA_PASSED|Cannot read rows from the data/;

/** Values in the names of folders are there with the first row. */
function whereNoRowIs(error: unknown): readonly Column[] {
  if (NO_ROWS.test(String(error))) return [];
  throw error;
}

type Ask = (inference: Settings) => Promise<readonly Column[]>;

/** Asks for the columns, also if some or all of the files have only a row of names. */
async function withoutRows(
  { header, inference, names }: Source,
  statements: SourceEngine['statements'],
  ask: Ask,
): Promise<readonly Column[]> {
  if (!header) return ask(inference);
  // The engine fails at a file without rows when it infers the schema of all files together.
  for (const each of [inference, { ...inference, ...OF_FIRST_FILE }])
    try {
      return await ask(each);
    } catch (error) {
      whereNoRowIs(error);
    }
  return names
    ? names.map((_, index) => ({ name: `c${index + 1}`, type: 'Nullable(String)' }))
    : columnsOfHeader(header, statements);
}

/** Texts, for nothing says what will come. A column without a name is left out, as it is of rows that come. */
async function columnsOfHeader(
  header: Pick<Source, 'call' | 'settings'>,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const names = await headerRow(header.call(undefined), header, statements);
  const named = names.filter((name) => name !== '');
  if (named.length === 0) throw new SourceError('no row names its columns');
  return named.map((name) => ({ name, type: 'Nullable(String)' }));
}

/**
 * Settles an inferred type: times have one precision and a zone, and columns without a value are
 * texts.
 */
function settledType(type: string, notation: 'csv' | 'json'): string {
  // A text such as `[1, 2]` stays a text, as it does when it is uploaded.
  if (notation === 'csv' && isComposite(type)) return 'Nullable(String)';
  const leaves = leavesOf('', type);
  if (isLarge(leaves.length)) return 'Nullable(String)';
  // Fields of objects may be called Date.
  return withLeaves(type, (at) => {
    const { type: found, nullable } = certain(leaves[at], 'leaf of the type');
    const settled = settledLeaf(found);
    return nullable ? `Nullable(${settled})` : settled;
  });
}

const settledLeaf = (type: string): string =>
  /^DateTime(?:64)?(?:\(|$)/.test(type)
    ? MICROSECONDS
    : type === 'Date'
      ? 'Date32'
      : type === 'Nothing'
        ? 'String'
        : type;
