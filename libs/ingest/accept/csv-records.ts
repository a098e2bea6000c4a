import { MillraceError } from '@app/platform';
import {
  quoteIdentifier,
  quoteText,
  WarehouseError,
  type Column,
  type LocalEngine,
} from '@app/warehouse';
import type { Chunk } from './chunk.js';
import { isOutOfSpace } from './out-of-space.js';

export interface CsvShape {
  readonly delimiter: string;
  /** Names of the fields, in their order. */
  readonly columns: readonly string[];
}

/** How the text of a field is written as JSON. */
type Kind = 'text' | 'number' | 'boolean' | 'json';

/** Name of the field that holds what is beyond the header: no column can have it. */
export const BEYOND_HEADER = '';

const NUMBER = '^-?(0|[1-9][0-9]*)(\\\\.[0-9]+)?([eE][+-]?[0-9]+)?$';

/**
 * Writes a chunk of CSV records as JSON records, one a line, in their order: a field without
 * text is left out, others are numbers, booleans or texts as their column has it. A column that
 * the stream does not have yet is what all of its fields in this chunk are.
 * @param most of the records, from the first; undefined: all of them
 * @throws {MillraceError} MALFORMED_BODY when the engine's reader finds that it is not CSV.
 */
export async function csvToRecords(
  engine: LocalEngine,
  chunk: Chunk,
  shape: CsvShape,
  known: readonly Column[],
  most?: number,
): Promise<Chunk> {
  const { source, settings } = readCsv(chunk.file, shape);
  const target = `${chunk.file}.records`;
  const limit = most === undefined ? '' : ` LIMIT ${most}`;
  try {
    const kinds = await kindsOf(engine, shape, known, `FROM ${source} SETTINGS ${settings}`);
    await engine.run(
      `INSERT INTO FUNCTION file(${quoteText(target)}, TSVRaw) SELECT ${recordSql(shape, kinds)} FROM ${source}${limit} SETTINGS ${settings}`,
    );
  } catch (error) {
    if (isOutOfSpace(error) || !isOfInput(error)) throw error;
    throw new MillraceError('MALFORMED_BODY', `malformed CSV: ${whereOf(error, chunk.firstLine)}`, {
      cause: error,
    });
  }
  return { file: target, firstLine: chunk.firstLine, bytes: chunk.bytes };
}

/** SQL of a field's text as it stands there, NULL where there is none. No column can have this name. */
export const csvField = (index: number): string => quoteIdentifier(`\u0001${index}`);

/** SQL of a field's text, given its name: its line breaks are line breaks again. */
export const csvText = (field: string): string => `replaceAll(${field}, char(255), '\\n')`;

/**
 * SQL to read a chunk of CSV records from, and the settings it takes. It has one field more than
 * the header, to see whether a record is longer.
 */
export function readCsv(
  file: string,
  { columns, delimiter }: CsvShape,
): { readonly source: string; readonly settings: string } {
  const structure = [...columns.keys(), columns.length]
    .map((index) => `${csvField(index)} Nullable(String)`)
    .join(', ');
  const source = `file(${quoteText(file)}, CSV, ${quoteText(structure)})`;
  return { source, settings: csvSettings(delimiter) };
}

function csvSettings(delimiter: string): string {
  return [
    `format_csv_delimiter = ${quoteText(delimiter)}`,
    'format_csv_allow_single_quotes = 0',
    'format_csv_allow_double_quotes = 1',
    // An empty field is null; a quoted one is an empty text.
    "format_csv_null_representation = ''",
    // A first record that happened to spell the fields' names would be taken for a header, and dropped.
    'input_format_csv_detect_header = 0',
    'input_format_csv_trim_whitespaces = 0',
    'input_format_csv_allow_whitespace_or_tab_as_delimiter = 1',
    'input_format_csv_allow_variable_number_of_columns = 1',
  ].join(', ');
}

async function kindsOf(
  engine: LocalEngine,
  { columns }: CsvShape,
  known: readonly Column[],
  from: string,
): Promise<readonly Kind[]> {
  const types = new Map(known.map(({ name, type }) => [name, type]));
  const open = [...columns.entries()].filter(([, name]) => !types.has(name));
  const counted = new Map<number, readonly number[]>();
  if (open.length > 0) {
    const texts = `arrayMap(f -> ifNull(f, ''), [${open.map(([index]) => csvField(index)).join(', ')}])`;
    const tests = ["t != ''", `match(t, '${NUMBER}')`, "lower(t) IN ('true', 'false')"];
    const counts = tests.map((test) => `sumForEach(arrayMap(t -> ${test}, texts))`).join(', ');
    const answer = await engine.run(
      `SELECT toJSONString([${counts}]) FROM (SELECT ${texts} AS texts ${from})`,
    );
    const rows = JSON.parse(answer) as (string | number)[][];
    for (const [place, [index]] of open.entries())
      counted.set(
        index,
        rows.map((row) => Number(row[place] ?? 0)),
      );
  }
  return columns.map((name, index) => {
    const type = types.get(name);
    if (type !== undefined) return kindOfType(type);
    const [some = 0, numbers = 0, booleans = 0] = counted.get(index) ?? [];
    if (some > 0 && numbers === some) return 'number';
    return some > 0 && booleans === some ? 'boolean' : 'text';
  });
}

/** How values of a column of this type stand in a CSV file. */
function kindOfType(type: string): Kind {
  if (type === 'Nullable(String)') return 'text';
  if (type === 'Nullable(Bool)') return 'boolean';
  return type.startsWith('Nullable(') ? 'number' : 'json';
}

/**
 * All fields go through one expression: one for each would be read by the engine at a cost that
 * grows faster than their number, and of 900 it would take no statement.
 */
function recordSql({ columns }: CsvShape, kinds: readonly Kind[]): string {
  const list = (texts: readonly string[]): string => `[${texts.join(', ')}]`;
  const names = [...columns, BEYOND_HEADER];
  const fields = list(names.map((_, index) => csvField(index)));
  const keys = list(names.map((name) => quoteText(`,${JSON.stringify(name)}:`)));
  // Of what is beyond the header, only a text that is not empty is told.
  const ofFields = list([...kinds, 'beyond'].map((kind) => quoteText(kind)));
  const texts = `arrayMap(f -> ${csvText("ifNull(f, '')")}, ${fields})`;
  const none = "(isNull(f) OR (t = '' AND kind != 'text'))";
  const isBoolean = "lower(t) IN ('true', 'false')";
  const written =
    `multiIf(kind = 'number' AND match(t, '${NUMBER}') OR kind = 'json' AND isValidJSON(t), t,` +
    ` kind = 'boolean' AND ${isBoolean}, lower(t), toJSONString(t))`;
  const parts = `arrayMap((key, kind, f, t) -> if(${none}, '', concat(key, ${written})), ${keys}, ${ofFields}, ${fields}, ${texts})`;
  // Each part brings its comma, and the first one goes.
  return `concat('{', substring(arrayStringConcat(${parts}), 2), '}')`;
}

/** The engine's numbers of texts that cannot be parsed. */
const UNPARSABLE = new Set([6, 26, 27, 38, 41, 72, 117, 131, 469]);

/** Whether what was sent is at fault, and not the engine or how it was asked. */
const isOfInput = (error: unknown): boolean =>
  error instanceof WarehouseError && UNPARSABLE.has(error.code);

/** The engine counts rows within the chunk. */
function whereOf(error: unknown, firstLine: number): string {
  const message = (error as Error).message;
  const row = /\(at row (\d+)\)/.exec(message)?.[1];
  const record = row === undefined ? 'a record' : `record ${firstLine + Number(row) - 1}`;
  return `${record} is not what the header says; a quote within a field must be doubled, and the whole field quoted`;
}
