import { createHash } from 'node:crypto';
import { quoteIdentifier, quoteText } from './identifier.js';
import type { Column, RejectedRows, TableName } from './warehouse.js';

export const TIMESTAMP: Column = { name: '_timestamp', type: "DateTime64(6, 'UTC')" };

/** Where a row came from. Left out of `SELECT *`, schemas and exports by being MATERIALIZED. */
export const POSITION_COLUMNS = ['_partition', '_offset', '_row'] as const;

/** Which stream a rejected record was sent to: by id, since names are used again. Hidden as positions are. */
export const STREAM_COLUMN = '_stream_id';

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
export function createTable(
  table: TableName,
  columns: readonly Column[],
  streamId: string,
): string {
  return `CREATE TABLE IF NOT EXISTS ${qualified(table)} (${definitions(columns).join(', ')}) ENGINE = MergeTree ORDER BY \`_timestamp\` ${SETTINGS} COMMENT ${quoteText(streamId)}`;
}

/**
 * Partitioned by stream, so that a deleted stream's records go at once, whatever happens meanwhile.
 * What a removal leaves is synced as an insert is: the queue forgets both.
 */
export function createRejectedTable(database: string): string {
  const table = { database, table: REJECTED_TABLE };
  const columns = [
    ...definitions(REJECTED_COLUMNS),
    `${quoteIdentifier(STREAM_COLUMN)} String MATERIALIZED ''`,
  ];
  return `CREATE TABLE IF NOT EXISTS ${qualified(table)} (${columns.join(', ')}) ENGINE = MergeTree PARTITION BY ${quoteIdentifier(STREAM_COLUMN)} ORDER BY \`_timestamp\` ${SETTINGS}, min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1`;
}

const SETTINGS =
  'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, max_compress_block_size = 131072, merge_with_ttl_timeout = 300';

function definitions(columns: readonly Column[]): string[] {
  return [
    `${define(TIMESTAMP)} CODEC(Delta, ZSTD(1))`,
    ...columns.map(define),
    '`_partition` UInt32 MATERIALIZED 0 CODEC(ZSTD(1))',
    '`_offset` UInt64 MATERIALIZED 0 CODEC(Delta, ZSTD(1))',
    '`_row` UInt32 MATERIALIZED 0 CODEC(Delta, ZSTD(1))',
    'INDEX `_position` `_offset` TYPE minmax GRANULARITY 1',
  ];
}

/** Old parts go at once: they have what erasure has blanked. */
export const createAuditTable = (database: string): string =>
  `CREATE TABLE IF NOT EXISTS ${qualified({ database, table: AUDIT_TABLE })} (${AUDIT_COLUMNS.map(define).join(', ')})` +
  ' ENGINE = MergeTree ORDER BY `position`' +
  ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, old_parts_lifetime = 1';

/** Which writer may write which partition: see `sql/writer-epochs.ts`. */
export const WRITER_EPOCHS: TableName = { database: 'millrace', table: 'writer_epochs' };

export const createWriterEpochs = (): string =>
  `CREATE TABLE IF NOT EXISTS ${qualified(WRITER_EPOCHS)} (partition UInt32, epoch UInt64, attempt UInt64, claimant String, claimed DateTime DEFAULT now())` +
  ' ENGINE = MergeTree ORDER BY (partition, epoch, attempt)' +
  ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0';

export const addColumns = (table: TableName, columns: readonly Column[]): string =>
  `ALTER TABLE ${qualified(table)} ${columns.map((column) => `ADD COLUMN IF NOT EXISTS ${define(column)}`).join(', ')}`;

export const modifyColumn = (table: TableName, column: Column): string =>
  `ALTER TABLE ${qualified(table)} MODIFY COLUMN ${define(column)}`;

/** Not SYNC: that waits for queries that read the table. */
export const dropTable = (table: TableName): string => `DROP TABLE IF EXISTS ${qualified(table)}`;

const DONE = 'SETTINGS mutations_sync = 2';

export const setRetention = (table: TableName, days: number): string =>
  days === 0
    ? `ALTER TABLE ${qualified(table)} REMOVE TTL`
    : `ALTER TABLE ${qualified(table)} MODIFY TTL \`_timestamp\` + toIntervalDay(${days}) ${DONE}, materialize_ttl_after_modify = 1`;

/** What an index of ours is for: single values, or words of a full-text search. */
export type IndexKind = 'partition_key' | 'full_text';

/** Of one length, whatever the column is called: the engine keeps an index in a file of its name. */
export const indexName = (kind: IndexKind, column: string): string =>
  `${kind}_${createHash('sha256').update(column).digest('hex').slice(0, 32)}`;

const INDEXES: Readonly<Record<IndexKind, (column: string) => string>> = {
  partition_key: (column) => `${quoteIdentifier(column)} TYPE bloom_filter GRANULARITY 1`,
  full_text: (column) => `${searchedText(column)} TYPE text(tokenizer = 'splitByNonAlpha')`,
};

export const addIndex = (table: TableName, kind: IndexKind, column: string): string =>
  `ALTER TABLE ${qualified(table)} ADD INDEX IF NOT EXISTS ${quoteIdentifier(indexName(kind, column))} ${INDEXES[kind](column)}`;

export const fillIndex = (table: TableName, kind: IndexKind, column: string): string =>
  `ALTER TABLE ${qualified(table)} MATERIALIZE INDEX ${quoteIdentifier(indexName(kind, column))} ${DONE}`;

export const dropIndex = (table: TableName, kind: IndexKind, column: string): string =>
  `ALTER TABLE ${qualified(table)} DROP INDEX IF EXISTS ${quoteIdentifier(indexName(kind, column))} ${DONE}`;

/** What a full-text search compares: text in lower case, nothing where there is none. The index has the same expression. */
export const searchedText = (column: string): string =>
  `lowerUTF8(ifNull(${quoteIdentifier(column)}, ''))`;

export const dropRejected = (database: string, streamId: string): string =>
  `ALTER TABLE ${qualified({ database, table: REJECTED_TABLE })} DROP PARTITION ${quoteText(streamId)}`;

export function removeRejected(
  database: string,
  streamId: string,
  rows: readonly RejectedRows[],
): string {
  const numbers = rows.flatMap(({ partition, offset, rows: ofBatch }) =>
    ofBatch.map((row) => `(${partition},${offset},${row})`),
  );
  return (
    `ALTER TABLE ${qualified({ database, table: REJECTED_TABLE })} DELETE IN PARTITION ${quoteText(streamId)}` +
    ` WHERE (\`_partition\`, \`_offset\`, \`_row\`) IN (${numbers.join(',')}) ${DONE}`
  );
}
