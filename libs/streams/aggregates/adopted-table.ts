import { TIMESTAMP, UNTYPED, type Column, type WarehouseTable } from '@app/warehouse';
import type { Schema, SchemaChange } from './stream-schema.js';
import type { StreamSettings } from './stream-settings.js';

/** Matches types of integers. The table does not tell whether a float would round their values. */
const INTEGER = /^(?:Nullable\()?U?Int\d+\)?$/;

/** This describes a table in the words of a stream's events. */
interface Adopted {
  readonly columns: readonly Column[];
  readonly untyped: readonly string[];
  /** The names of all columns of integers. None of them may become a column of floats. */
  readonly exact: readonly string[];
  readonly settings: StreamSettings;
}

/** Derives from a table what the events of its stream said, as far as the table shows it. */
export function adopted(table: WarehouseTable): Adopted {
  const own = table.columns.filter(({ name }) => name !== TIMESTAMP.name);
  const columns = own.filter(({ type }) => type !== UNTYPED);
  return {
    columns,
    untyped: own.filter(({ type }) => type === UNTYPED).map(({ name }) => name),
    exact: columns.filter(({ type }) => INTEGER.test(type)).map(({ name }) => name),
    settings: {
      dataRetention: table.retentionDays,
      partitionKeys: table.skipIndexes,
      fullTextSearchKeys: table.textIndexes,
    },
  };
}

/**
 * @returns the change that makes a stream's schema that of its table, or undefined if they agree
 */
export function adoptedSchema(schema: Schema, table: WarehouseTable): SchemaChange | undefined {
  const { columns, untyped: silent, exact: integers } = adopted(table);
  const types = new Map(schema.columns.map(({ name, type }) => [name, type]));
  const added = columns.filter(({ name }) => !types.has(name));
  const widened = columns.filter(({ name, type }) => (types.get(name) ?? type) !== type);
  const untyped = silent.filter((name) => !types.has(name) && !schema.untyped.includes(name));
  if (added.length + widened.length + untyped.length === 0) return undefined;
  const exact = integers.filter((name) => !schema.exact.includes(name));
  return {
    added,
    widened,
    ...(exact.length > 0 ? { exact } : {}),
    ...(untyped.length > 0 ? { untyped } : {}),
    version: schema.version + 1,
  };
}

/**
 * @returns the change that makes a stream's settings those of its table, or undefined if they
 * agree. Keys within objects stay, because no index of a table names them.
 */
export function adoptedSettings(
  { settings, columns }: Schema & { readonly settings: StreamSettings },
  table: WarehouseTable,
): Partial<StreamSettings> | undefined {
  const now = adopted(table);
  const names = new Set([...columns, ...now.columns].map(({ name }) => name));
  const withHidden = (before: readonly string[], found: readonly string[]): readonly string[] => [
    ...found,
    ...before.filter((key) => !names.has(key)),
  ];
  const wanted: StreamSettings = {
    dataRetention: now.settings.dataRetention,
    partitionKeys: withHidden(settings.partitionKeys, now.settings.partitionKeys),
    fullTextSearchKeys: withHidden(settings.fullTextSearchKeys, now.settings.fullTextSearchKeys),
  };
  const changed: Partial<StreamSettings> = {
    ...(wanted.dataRetention === settings.dataRetention
      ? {}
      : { dataRetention: wanted.dataRetention }),
    ...(isSame(wanted.partitionKeys, settings.partitionKeys)
      ? {}
      : { partitionKeys: wanted.partitionKeys }),
    ...(isSame(wanted.fullTextSearchKeys, settings.fullTextSearchKeys)
      ? {}
      : { fullTextSearchKeys: wanted.fullTextSearchKeys }),
  };
  return Object.keys(changed).length === 0 ? undefined : changed;
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  [...a].sort().join('\n') === [...b].sort().join('\n');
