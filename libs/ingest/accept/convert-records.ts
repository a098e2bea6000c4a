import {
  quoteIdentifier,
  quoteText,
  TIMESTAMP,
  type Column,
  type LocalEngine,
} from '@app/warehouse';
import type { ColumnarFile } from './chunk.js';
import { timestampMicros, type TimeSource } from './timestamp.sql.js';

export interface Conversion {
  /** One record a line. */
  readonly source: string;
  /** Where the columnar file goes; its ending names the compression. */
  readonly target: string;
  readonly columns: readonly Column[];
  /** How `_timestamp` stands in the records. `Dynamic` reads every way there is, at more cost. */
  readonly timestamp: TimeSource;
  /** For records that name no time: microseconds since the epoch. */
  readonly acceptedAt: number;
  /** Whether records were judged one by one before: then fields without a column hold nothing to store. */
  readonly judged: boolean;
  readonly records: number;
}

/** Time of a record without `_timestamp`, as Elasticsearch's shippers write it. */
export const ALTERNATIVE_TIMESTAMP = '@timestamp';

/**
 * Parses the records by the columns' types and writes them as a columnar file.
 * @throws {WarehouseError} when a record does not fit, a field has no column, or the disk is full.
 */
export async function convertRecords(
  engine: LocalEngine,
  conversion: Conversion,
): Promise<ColumnarFile> {
  await engine.run(conversionSql(conversion));
  return {
    file: conversion.target,
    rows: conversion.records,
    columns: [TIMESTAMP.name, ...conversion.columns.map((column) => column.name)],
  };
}

export function conversionSql({
  source,
  target,
  columns,
  timestamp,
  acceptedAt,
  judged,
}: Conversion): string {
  const own: Column = {
    name: TIMESTAMP.name,
    type: timestamp === 'Dynamic' ? 'Dynamic' : `Nullable(${timestamp})`,
  };
  const structure = [own, ...columns]
    .map(({ name, type }) => `${quoteIdentifier(name)} ${type}`)
    .join(', ');
  const names = columns.map((column) => quoteIdentifier(column.name));
  return (
    `INSERT INTO FUNCTION file(${quoteText(target)}, Native)` +
    ` SELECT ${[`${timestampSql(columns, timestamp, acceptedAt)} AS _timestamp`, ...names].join(', ')}` +
    ` FROM file(${quoteText(source)}, JSONEachRow, ${quoteText(structure)})` +
    (judged ? ' SETTINGS input_format_skip_unknown_fields = 1' : '')
  );
}

function timestampSql(
  columns: readonly Column[],
  timestamp: TimeSource,
  acceptedAt: number,
): string {
  const sources = [readTime(TIMESTAMP.name, timestamp)];
  const alternative = columns.find((column) => column.name === ALTERNATIVE_TIMESTAMP);
  const source = alternative && TIME_SOURCE_OF_TYPE[alternative.type];
  if (source) sources.push(readTime(ALTERNATIVE_TIMESTAMP, source));
  const micros = `assumeNotNull(coalesce(${sources.join(', ')}, ${acceptedAt}))`;
  return `fromUnixTimestamp64Micro(${micros}, 'UTC')`;
}

const TIME_SOURCE_OF_TYPE: Readonly<Record<string, TimeSource>> = {
  'Nullable(Int64)': 'Int64',
  'Nullable(Float64)': 'Float64',
  'Nullable(String)': 'String',
};

/** NULL only where the field is: a value that is no time fails the statement. */
function readTime(name: string, source: TimeSource): string {
  const field = quoteIdentifier(name);
  const micros = timestampMicros(source === 'Dynamic' ? field : `assumeNotNull(${field})`, source);
  return `if(isNull(${field}), NULL, ${micros}) + throwIf(isNotNull(${field}) AND isNull(${micros}), 'not a time')`;
}
