import { WarehouseError, type Column, type SourceEngine } from '@app/warehouse';
import { engineType } from '../../arrow-data-type.js';
import { SourceError } from '../../sources/source-error.js';
import { settingsClause, type Settings, type Source } from '../../sources/source.js';
import type { DescribedColumn, DescribedTable } from '../../table-description.js';
import { withTimesOfDay } from './times-of-day.js';
import { holdingWhatIsWritten } from './written-values.js';

export const declared = (columns: readonly DescribedColumn[]): readonly Column[] =>
  columns.map(({ name, dataType, nullable }) => ({ name, type: engineType(dataType, nullable) }));

/**
 * Columns of a source as the engine finds them, or as its description declares them.
 * @throws {SourceError} where it has a column whose values the engine would change
 */
export async function inferColumns(
  { columns, options }: DescribedTable,
  source: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const isArrow = options.format === 'arrow' || options.format === 'arrows';
  if (columns && !isArrow) return declared(columns);
  const ask: Ask = async (inference) => {
    const settings = { ...source.settings, ...inference, print_pretty_type_names: '0' };
    const sql = `DESCRIBE TABLE ${source.call(undefined)}${settingsClause(settings)} FORMAT JSONEachRow`;
    const lines = (await statements.run(sql)).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Column);
  };
  if (columns) {
    const read = new Set(columns.map(({ name }) => name));
    const there = await ask(source.inference).catch(whereNothingIs);
    refuseLongDates(there.filter(({ name }) => read.has(name)));
    return declared(columns);
  }
  const told = await withoutRows(source, statements, ask);
  const found = [...(await withTimesOfDay(told, source, statements))];
  if (source.many && 'schema_inference_mode' in source.inference) {
    // The engine does not name the columns of folders' names when it infers the schema of all files
    // together.
    const known = new Set(found.map(({ name }) => name));
    found.push(
      ...(await ask({ ...source.inference, ...OF_FIRST_FILE })).filter(
        ({ name }) => !known.has(name),
      ),
    );
  }
  if (isArrow) refuseLongDates(found);
  const headless = options.format === 'csv' && !options.hasHeader;
  const settled = source.inferred
    ? found.map(({ name, type }) => ({ name, type: settledType(type) }))
    : found;
  const typed =
    options.format === 'csv' ? await holdingWhatIsWritten(settled, source, statements) : settled;
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
 * The engine calls Arrow's dates of 64 bits `DateTime` and keeps 32 bits of their seconds, whatever
 * type it is asked for: 1965 would be 2101. All other times of Arrow are `DateTime64` to it.
 */
function refuseLongDates(columns: readonly Column[]): void {
  const date = columns.find(({ type }) => /\bDateTime\b/.test(type));
  if (!date) return;
  throw new SourceError(
    `column ${JSON.stringify(date.name)} has Arrow's dates of 64 bits (date64), which cannot be read here without changing those before 1970 and after 2106: write it as date32 or timestamp`,
  );
}

/** Declared columns need no file yet. */
function whereNothingIs(error: unknown): readonly Column[] {
  const isNothing =
    error instanceof WarehouseError && error.type === 'CANNOT_EXTRACT_TABLE_STRUCTURE';
  if (isNothing) return [];
  throw error;
}

const OF_FIRST_FILE: Settings = { schema_inference_mode: "'default'" };
/** The engine finds no columns where no row is below their names. */
const NO_ROWS = /EMPTY_DATA_PASSED/;

type Ask = (inference: Settings) => Promise<readonly Column[]>;

/** Asks for the columns; also where files, or all of them, have but a row of names. */
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
      if (!NO_ROWS.test(String(error))) throw error;
    }
  return names
    ? names.map((_, index) => ({ name: `c${index + 1}`, type: 'Nullable(String)' }))
    : columnsOfHeader(header, statements);
}

/** Texts, for nothing says what will come. */
async function columnsOfHeader(
  { call, settings }: Pick<Source, 'call' | 'settings'>,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const asRow = { ...settings, input_format_csv_detect_header: '0' };
  const sql = `SELECT * FROM ${call(undefined)} LIMIT 1${settingsClause(asRow)} FORMAT JSONCompactEachRow`;
  const names = JSON.parse(await statements.run(sql)) as readonly unknown[];
  return names.map((name) => ({ name: String(name), type: 'Nullable(String)' }));
}

/**
 * Settles an inferred type: times have one precision and a zone, and columns without a value are
 * texts.
 */
function settledType(type: string): string {
  return type
    .replace(/\bDateTime(?:64\(\d+(?:, '[^']*')?\))?(?![\w(])/g, "DateTime64(6, 'UTC')")
    .replace(/\bDate\b(?!\d)/g, 'Date32')
    .replace(/\bNothing\b/g, 'String');
}
