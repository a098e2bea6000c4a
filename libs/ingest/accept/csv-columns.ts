import {
  quoteIdentifier,
  quoteText,
  TIMESTAMP,
  type Column,
  type LocalEngine,
} from '@app/warehouse';
import { COMPRESSION, type ColumnarFile, type SpooledChunk } from './chunk.js';
import { convertRecords, type Conversion } from './convert-records.js';
import { csvField, csvText, readCsv, type CsvShape } from './csv-records.js';
import { ISO_8601, type TimeSource } from './timestamp.sql.js';

/**
 * Writes a chunk of CSV records as a columnar file, in one pass, where every field is written so
 * that there is one way to read it and it fits its column. What is stored is what the way over
 * JSON records would store.
 * @throws {WarehouseError} when any field leaves a doubt: then that way tells.
 */
export function csvToColumns(
  engine: LocalEngine,
  { file, lines, isAscii }: SpooledChunk,
  shape: CsvShape,
  to: Pick<Conversion, 'columns' | 'exact' | 'time' | 'acceptedAt' | 'keptFrom'>,
): Promise<ColumnarFile> {
  const { source, settings } = readCsv(file, shape);
  return convertRecords(engine, {
    ...to,
    source: (fields) => typedFields(source, shape, fields, isAscii),
    settings,
    target: `${file}.columns.native.${COMPRESSION}`,
    records: lines,
  });
}

/**
 * How the first record that has a time writes it; where another does so otherwise, its field is
 * in doubt.
 * @returns undefined when none of the chunk has a time.
 */
export async function firstTime(
  engine: LocalEngine,
  file: string,
  shape: CsvShape,
): Promise<TimeSource | undefined> {
  const index = shape.columns.indexOf(TIMESTAMP.name);
  if (index < 0) return undefined;
  const { source, settings } = readCsv(file, shape);
  const answer = await engine.run(
    `SELECT match(${csvField(index)}, '${ISO_8601}') FROM ${source} WHERE NOT ${isEmpty(csvField(index))} LIMIT 1 SETTINGS ${settings}`,
  );
  if (answer === '') return undefined;
  return answer.trim() === '1' ? 'String' : 'Int64';
}

/**
 * SQL of the records with these fields, as their types have them; it fails at the first doubt.
 * @param isAscii then texts are what they are: none has a line break within, all are UTF-8.
 */
function typedFields(
  source: string,
  { columns }: CsvShape,
  fields: readonly Column[],
  isAscii: boolean,
): string {
  const restored = isAscii ? (field: string): string => field : csvText;
  const typed = fields.map((column) => {
    const index = columns.indexOf(column.name);
    return { column, written: index < 0 ? undefined : csvField(index) };
  });
  const values = typed.map(
    ({ column, written }) =>
      `${valueOf(column.type, written, restored)} AS ${quoteIdentifier(column.name)}`,
  );
  const known = new Set(fields.map(({ name }) => name));
  const sure = [
    ...typed.flatMap(({ column, written }) =>
      written === undefined || (isAscii && column.type === TEXT)
        ? []
        : [isSure(column.type, written)],
    ),
    // What no column is there for must be told by its kind, and be a column first.
    ...columns.flatMap((name, index) => (known.has(name) ? [] : [`isNull(${csvField(index)})`])),
    isEmpty(csvField(columns.length)),
  ];
  return `(SELECT ${values.join(', ')} FROM ${source} WHERE NOT throwIf(NOT (${sure.join(' AND ')}), 'a field leaves a doubt'))`;
}

const TEXT = 'Nullable(String)';

const isEmpty = (written: string): string => `ifNull(${written}, '') = ''`;

const INTEGER = '-?[1-9][0-9]{0,17}|0';
/** What is certainly neither infinite nor an integer that no float has. */
const FLOAT = '-?(0|[1-9][0-9]{0,14})(\\\\.[0-9]+)?([eE][+-]?[0-9]{1,2})?';

/** Numbers that are written in the one way that leaves no doubt about their value, by type. */
const NUMBERS: Readonly<Record<string, string>> = {
  'Nullable(Int64)': INTEGER,
  'Nullable(UInt64)': '[1-9][0-9]{0,17}|0',
  'Nullable(Float64)': FLOAT,
};

/** SQL: whether a field's text is for certain a value of the type, or nothing. */
function isSure(type: string, written: string): string {
  const number = NUMBERS[type];
  const text = `ifNull(${written}, '')`;
  if (number !== undefined) return `match(${text}, '^(${number})?$')`;
  if (type === 'Nullable(Bool)') return `lower(${text}) IN ('', 'true', 'false')`;
  if (type === TEXT) return `isValidUTF8(${csvText(text)})`;
  return `isNull(${written})`;
}

function valueOf(
  type: string,
  written: string | undefined,
  restored: (field: string) => string,
): string {
  const inner = /^Nullable\((\w+)\)$/.exec(type)?.[1];
  if (written === undefined || inner === undefined)
    return `defaultValueOfTypeName(${quoteText(type)})`;
  if (type in NUMBERS) return `to${inner}OrNull(${written})`;
  if (inner === 'Bool')
    return `CAST(if(${isEmpty(written)}, NULL, lower(${written}) = 'true'), '${type}')`;
  return restored(written);
}
