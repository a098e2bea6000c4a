import {
  quoteIdentifier,
  quoteText,
  TIMESTAMP,
  type Column,
  type LocalEngine,
} from '@app/warehouse';
import { ALTERNATIVE_TIMESTAMP } from '../judge/reasons.js';
import type { ColumnarFile } from './chunk.js';
import { anyBeyondFloat } from './beyond-float.sql.js';
import { isBeforeKept, isTime, micros, type TimeSource } from './timestamp.sql.js';

export interface Conversion {
  /** SQL to read the records from, these of their fields by these types. */
  readonly source: (fields: readonly Column[]) => string;
  /** Of the engine, for reading them. */
  readonly settings?: string;
  /** Where the columnar file goes; its ending names the compression. */
  readonly target: string;
  readonly columns: readonly Column[];
  /** Columns of integers that may hold any. */
  readonly exact: readonly string[];
  /** Of what type `_timestamp` is; `none`: it is not there. */
  readonly time: TimeSource | 'none';
  /** For records that name no time: microseconds since the epoch. */
  readonly acceptedAt: number;
  readonly records: number;
  /** Microseconds since the epoch: an earlier record is not for this stream. */
  readonly keptFrom: number | undefined;
}

/**
 * Parses the records by the columns' types and writes them as a columnar file.
 * @throws {WarehouseError} when a record does not fit, a field has no column, an integer is not in
 * a float and the column not known to have such, a time is before what is kept, or the disk is full.
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

export function conversionSql(conversion: Conversion): string {
  const { source, target, columns, exact, time, acceptedAt, settings, keptFrom } = conversion;
  const own = ownTime(time);
  const fields = [...own, ...alternativeTime(columns)];
  const times = fields.map(checkedTime);
  const time64 = `assumeNotNull(coalesce(${[...times, `toInt64(${acceptedAt})`].join(', ')}))`;
  const mayBeOld = keptFrom !== undefined && fields.length > 0;
  const kept = mayBeOld ? ` + throwIf(${isBeforeKept(time64, keptFrom)}, 'not kept')` : '';
  const timestamp = `fromUnixTimestamp64Micro(${time64}${kept}, 'UTC')`;
  const names = columns.map((column) => quoteIdentifier(column.name));
  // Times are scaled one level below where they are checked: a statement's cost grows with its text.
  return (
    `INSERT INTO FUNCTION file(${quoteText(target)}, Native)` +
    ` SELECT ${[`${timestamp} AS _timestamp`, ...names].join(', ')}` +
    ` FROM (SELECT ${['*', ...fields.map(scaledTime)].join(', ')}` +
    ` FROM ${source([...own, ...columns])})` +
    within(columns, exact) +
    (settings === undefined ? '' : ` SETTINGS ${settings}`)
  );
}

function within(columns: readonly Column[], exact: readonly string[]): string {
  const beyond = anyBeyondFloat(columns, exact, quoteIdentifier);
  return beyond === undefined
    ? ''
    : ` WHERE NOT throwIf(${beyond}, 'an integer that no float has')`;
}

interface TimeField extends Column {
  readonly source: TimeSource;
}

function ownTime(time: Conversion['time']): readonly TimeField[] {
  if (time === 'none') return [];
  return [{ name: TIMESTAMP.name, type: `Nullable(${time})`, source: time }];
}

function alternativeTime(columns: readonly Column[]): readonly TimeField[] {
  return columns.flatMap((column) => {
    const source = TIME_SOURCE_OF_TYPE[column.type];
    return column.name === ALTERNATIVE_TIMESTAMP && source ? [{ ...column, source }] : [];
  });
}

const TIME_SOURCE_OF_TYPE: Readonly<Record<string, TimeSource>> = {
  'Nullable(Int64)': 'Int64',
  'Nullable(Float64)': 'Float64',
  'Nullable(String)': 'String',
};

/** Name of a field's scaled time; none that a column can have. */
const scaledName = ({ name }: TimeField): string => quoteIdentifier(`\u0001${name}`);

function scaledTime(field: TimeField): string {
  const name = quoteIdentifier(field.name);
  return `if(isNull(${name}), NULL, ${micros(`assumeNotNull(${name})`, field.source)}) AS ${scaledName(field)}`;
}

/** NULL only where the field is: a value that is no time, or 0, which stands for none, fails the statement. */
function checkedTime(field: TimeField): string {
  const scaled = scaledName(field);
  return `${scaled} + throwIf(isNotNull(${quoteIdentifier(field.name)}) AND (${scaled} = 0 OR NOT ${isTime(scaled)}), 'not a time')`;
}
