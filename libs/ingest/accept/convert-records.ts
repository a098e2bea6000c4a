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
  /**
   * Where a record's time stands: in its own fields, `_timestamp` being of this type; or `judged`,
   * in {@link JUDGED_TIME}, and then fields without a column hold nothing to store.
   */
  readonly time: TimeSource | 'judged';
  /** For records that name no time: microseconds since the epoch. */
  readonly acceptedAt: number;
  readonly records: number;
}

/** Field that judging puts before a record's own, in microseconds. No column can have this name. */
export const JUDGED_TIME = '\u0001';

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

export function conversionSql({ source, target, columns, time, acceptedAt }: Conversion): string {
  const own: Column =
    time === 'judged'
      ? { name: JUDGED_TIME, type: 'Nullable(Int64)' }
      : { name: TIMESTAMP.name, type: `Nullable(${time})` };
  const structure = [own, ...columns]
    .map(({ name, type }) => `${quoteIdentifier(name)} ${type}`)
    .join(', ');
  const names = columns.map((column) => quoteIdentifier(column.name));
  const micros =
    time === 'judged' ? [quoteIdentifier(JUDGED_TIME)] : timeFields(columns, time).map(readTime);
  const timestamp = `fromUnixTimestamp64Micro(assumeNotNull(coalesce(${[...micros, acceptedAt].join(', ')})), 'UTC')`;
  return (
    `INSERT INTO FUNCTION file(${quoteText(target)}, Native)` +
    ` SELECT ${[`${timestamp} AS _timestamp`, ...names].join(', ')}` +
    ` FROM file(${quoteText(source)}, JSONEachRow, ${quoteText(structure)})` +
    (time === 'judged' ? ' SETTINGS input_format_skip_unknown_fields = 1' : '')
  );
}

interface TimeField {
  readonly name: string;
  readonly source: TimeSource;
}

function timeFields(columns: readonly Column[], source: TimeSource): readonly TimeField[] {
  const alternative = columns.find((column) => column.name === ALTERNATIVE_TIMESTAMP);
  const other = alternative && TIME_SOURCE_OF_TYPE[alternative.type];
  return [
    { name: TIMESTAMP.name, source },
    ...(other ? [{ name: ALTERNATIVE_TIMESTAMP, source: other }] : []),
  ];
}

const TIME_SOURCE_OF_TYPE: Readonly<Record<string, TimeSource>> = {
  'Nullable(Int64)': 'Int64',
  'Nullable(Float64)': 'Float64',
  'Nullable(String)': 'String',
};

/** NULL only where the field is: a value that is no time fails the statement. */
function readTime({ name, source }: TimeField): string {
  const field = quoteIdentifier(name);
  const micros = timestampMicros(`assumeNotNull(${field})`, source);
  return `if(isNull(${field}), NULL, ${micros}) + throwIf(isNotNull(${field}) AND isNull(${micros}), 'not a time')`;
}
