import { quoteIdentifier } from './identifier.js';
import type { Column, TableName } from './warehouse.js';

export const TIMESTAMP: Column = { name: '_timestamp', type: "DateTime64(6, 'UTC')" };

/** Where a row came from. Left out of `SELECT *`, schemas and exports by being MATERIALIZED. */
export const POSITION_COLUMNS = ['_partition', '_offset', '_row'] as const;

/** Columns of `_rejected` besides `_timestamp` (when it was refused). */
export const REJECTED_COLUMNS: readonly Column[] = [
  { name: 'stream', type: 'LowCardinality(String)' },
  { name: 'upload_id', type: 'String' },
  { name: 'line', type: 'UInt64' },
  { name: 'reason', type: 'String' },
  { name: 'record', type: 'String' },
];

export const REJECTED_TABLE = '_rejected';

export const AUDIT_TABLE = '_audit';

/** Columns of `_audit` as people see them, `_timestamp` (when it happened) first. */
export const AUDIT_COLUMNS: readonly Column[] = [
  TIMESTAMP,
  { name: 'position', type: 'UInt64' },
  { name: 'type', type: 'LowCardinality(String)' },
  { name: 'outcome', type: 'LowCardinality(String)' },
  { name: 'actor', type: 'String' },
  { name: 'actor_id', type: 'String' },
  { name: 'subject', type: 'String' },
  { name: 'subject_id', type: 'String' },
  { name: 'address', type: 'String' },
  { name: 'user_agent', type: 'String' },
  { name: 'request_id', type: 'String' },
  { name: 'stream', type: 'String' },
  { name: 'data', type: 'String' },
  { name: 'previous_hash', type: 'String' },
  { name: 'hash', type: 'String' },
];

export const qualified = ({ database, table }: TableName): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;

const define = ({ name, type }: Column): string => `${quoteIdentifier(name)} ${type}`;

export const createDatabase = (database: string): string =>
  `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(database)}`;

/**
 * Rows carry their queue position, so that the table itself says what it holds; the minmax index
 * keeps that read-back cheap. fsync before an insert counts as done; the engine's own
 * deduplication is off because it is no proof and folds equal batches into one. Small compressed
 * blocks keep the write buffers small: an insert and a merge hold one for every column.
 */
export function createTable(table: TableName, columns: readonly Column[]): string {
  const definitions = [
    `${define(TIMESTAMP)} CODEC(Delta, ZSTD(1))`,
    ...columns.map(define),
    '`_partition` UInt32 MATERIALIZED 0 CODEC(ZSTD(1))',
    '`_offset` UInt64 MATERIALIZED 0 CODEC(Delta, ZSTD(1))',
    '`_row` UInt32 MATERIALIZED 0 CODEC(Delta, ZSTD(1))',
    'INDEX `_position` `_offset` TYPE minmax GRANULARITY 1',
  ];
  return (
    `CREATE TABLE IF NOT EXISTS ${qualified(table)} (${definitions.join(', ')})` +
    ' ENGINE = MergeTree ORDER BY `_timestamp`' +
    ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, max_compress_block_size = 131072'
  );
}

export const createAuditTable = (database: string): string =>
  `CREATE TABLE IF NOT EXISTS ${qualified({ database, table: AUDIT_TABLE })} (${AUDIT_COLUMNS.map(define).join(', ')})` +
  ' ENGINE = MergeTree ORDER BY `position`' +
  ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0';

export const addColumns = (table: TableName, columns: readonly Column[]): string =>
  `ALTER TABLE ${qualified(table)} ${columns.map((column) => `ADD COLUMN IF NOT EXISTS ${define(column)}`).join(', ')}`;

export const modifyColumn = (table: TableName, column: Column): string =>
  `ALTER TABLE ${qualified(table)} MODIFY COLUMN ${define(column)}`;

export const dropTable = (table: TableName): string =>
  `DROP TABLE IF EXISTS ${qualified(table)} SYNC`;
