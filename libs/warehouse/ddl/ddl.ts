import { define } from './column-changes.js';
import { indexName, indexType, type IndexKind, type TypedIndex } from './column-indexes.js';
import { quoteIdentifier, quoteText } from './identifier.js';
import { COMPACT, DURABLE } from './part-settings.js';
import type { Column, RejectedRows, TableName } from '../warehouse.js';

export const TIMESTAMP: Column = { name: '_timestamp', type: "DateTime64(6, 'UTC')" };

/** The origin of a row. MATERIALIZED columns are left out of `SELECT *`, schemas and exports. */
export const POSITION_COLUMNS = ['_partition', '_offset', '_row'] as const;

/** The stream to which a rejected record was sent, by its id, since names are reused. The column is hidden, as positions are. */
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

/** The columns of `_audit` for people, `_timestamp` (when it happened) first. */
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

/** The table of the claims of writers: see `sql/batches/writer-epochs.ts`. */
export const WRITER_EPOCHS: TableName = { database: 'millrace', table: 'writer_epochs' };

/** The table of wrapped keys of people: see `sql/sql-person-keys.ts`. */
export const PERSON_KEYS: TableName = { database: 'millrace', table: 'person_keys' };

export const qualified = ({ database, table }: TableName): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(table)}`;

/** Makes the same table on every node of a cluster, whatever its shard. */
const EVERYWHERE = "ReplicatedMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}')";
/**
 * The prefix of the databases of organizations, and of the databases with a shard's rows. It is
 * short, because a longer one would leave less room for a table's name.
 */
export const ORGANIZATION_PREFIX = 'o_';
export const SHARD_PREFIX = 's_';
/** SQL that matches databases of both kinds. */
export const OUR_DATABASES = `match(database, '^(${ORGANIZATION_PREFIX}|${SHARD_PREFIX})')`;

const shardOf = (database: string): string =>
  `${SHARD_PREFIX}${database.slice(ORGANIZATION_PREFIX.length)}`;
const DONE = 'SETTINGS mutations_sync = 2';

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

/**
 * Every CREATE, ALTER and DROP, to be run in order.
 *
 * On a cluster each stream has two tables: one with the rows of a shard, replicated, in a database
 * of its own, and one under the stream's name that reads all shards. The first is created and
 * dropped before the other, so that interrupted work is noticed and repeated. Small tables
 * (`_rejected`, `_audit`, the writers' epochs) are complete on every node.
 */
export class Ddl {
  /** The text that follows the name in a statement for every node. */
  readonly on: string;
  private readonly name: string;
  private readonly sharded: string;
  private readonly everywhere: string;

  constructor(readonly cluster: string | undefined) {
    this.on = cluster === undefined ? '' : ` ON CLUSTER ${quoteIdentifier(cluster)}`;
    this.name = cluster === undefined ? '' : quoteText(cluster);
    this.sharded = cluster === undefined ? 'MergeTree' : 'ReplicatedMergeTree';
    this.everywhere = cluster === undefined ? 'MergeTree' : EVERYWHERE;
  }

  /** The table that contains the rows. */
  stored(table: TableName): TableName {
    const isWhole =
      this.cluster === undefined || table.table === REJECTED_TABLE || table.table === AUDIT_TABLE;
    return isWhole ? table : { ...table, database: shardOf(table.database) };
  }

  /** The tables whose columns change together, in this order. */
  tablesOf(table: TableName): readonly TableName[] {
    return this.cluster === undefined ? [table] : [this.stored(table), table];
  }

  /** The engine's list of parts, with each shard's parts once. */
  get parts(): string {
    return this.cluster === undefined ? 'system.parts' : `cluster(${this.name}, system.parts)`;
  }

  /** The engine's list of parts that the engine, or a person, has set aside, on every node. */
  get detachedParts(): string {
    const all = 'system.detached_parts';
    return this.cluster === undefined ? all : `clusterAllReplicas(${this.name}, ${all})`;
  }

  /** The engine's list of running statements. */
  get processes(): string {
    const all = 'system.processes';
    return this.cluster === undefined ? all : `clusterAllReplicas(${this.name}, ${all})`;
  }

  /** The engine's list of backups, on every node, because only the node that was asked has the backup. */
  get backups(): string {
    const all = 'system.backups';
    return this.cluster === undefined ? all : `clusterAllReplicas(${this.name}, ${all})`;
  }

  kill(condition: string): string {
    return `KILL QUERY${this.on} WHERE ${condition} SYNC`;
  }

  /** A statement that waits until a replica has all rows. It must run before rows are read, because another replica may have stored them. */
  catchUp(table: TableName): readonly string[] {
    return this.cluster === undefined
      ? []
      : [`SYSTEM SYNC REPLICA${this.on} ${qualified(this.stored(table))}`];
  }

  /** All databases of an organization: the visible one, and on a cluster the one behind it. */
  databasesOf(database: string): readonly string[] {
    return this.cluster === undefined ? [database] : [shardOf(database), database];
  }

  createDatabase(database: string): readonly string[] {
    return this.databasesOf(database).map(
      (name) => `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(name)}${this.on}`,
    );
  }

  /**
   * Drops without SYNC, which would wait for the queries that read a table. On a cluster, the
   * database that people see is dropped last, so an interrupted drop remains visible.
   */
  dropDatabase(database: string): readonly string[] {
    return this.databasesOf(database).map(
      (name) => `DROP DATABASE IF EXISTS ${quoteIdentifier(name)}${this.on}`,
    );
  }

  /**
   * Rows carry their queue position, so that the table itself shows which batches it has; the
   * minmax index keeps that read-back cheap. An insert is synced before it counts as done. The
   * engine's own deduplication is off, because it is no proof and merges equal batches into one.
   * Small compressed blocks keep the write buffers small: an insert and a merge have one for every
   * column.
   */
  createTable(table: TableName, columns: readonly Column[], streamId: string): readonly string[] {
    const stored = this.stored(table);
    const comment = `COMMENT ${quoteText(streamId)}`;
    const rows = `${this.create(stored)} (${definitions(columns).join(', ')}) ENGINE = ${this.sharded} ORDER BY \`_timestamp\` ${this.settings}, ${COMPACT} ${comment}`;
    if (this.cluster === undefined) return [rows];
    const all = `Distributed(${this.name}, ${quoteText(stored.database)}, ${quoteText(stored.table)})`;
    return [rows, `${this.create(table)} AS ${qualified(stored)} ENGINE = ${all} ${comment}`];
  }

  /**
   * Partitioned by stream, so that a deleted stream's records go at once, whatever happens
   * meanwhile. The result of a removal is synced like an insert, because the queue forgets both.
   */
  createRejectedTable(database: string): readonly string[] {
    const columns = [
      ...definitions(REJECTED_COLUMNS),
      `${quoteIdentifier(STREAM_COLUMN)} String MATERIALIZED ''`,
    ];
    return [
      `${this.create({ database, table: REJECTED_TABLE })} (${columns.join(', ')}) ENGINE = ${this.everywhere} PARTITION BY ${quoteIdentifier(STREAM_COLUMN)} ORDER BY \`_timestamp\` ${this.settings}, ${COMPACT}, min_rows_to_fsync_after_merge = 1, min_compressed_bytes_to_fsync_after_merge = 1`,
    ];
  }

  /** Old parts are deleted at once, because they contain data that an erasure has blanked. */
  createAuditTable(database: string): readonly string[] {
    const columns = AUDIT_COLUMNS.map(define).join(', ');
    return [
      ...this.createDatabase(database),
      `${this.create({ database, table: AUDIT_TABLE })} (${columns}) ENGINE = ${this.everywhere} ORDER BY \`position\` ${this.settings}, old_parts_lifetime = 1`,
    ];
  }

  createWriterEpochs(): readonly string[] {
    const columns =
      'partition UInt32, epoch UInt64, attempt UInt64, claimant String, claimed DateTime DEFAULT now()';
    return [
      `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(WRITER_EPOCHS.database)}${this.on}`,
      `${this.create(WRITER_EPOCHS)} (${columns}) ENGINE = ${this.everywhere} ORDER BY (partition, epoch, attempt) ${this.settings}`,
    ];
  }

  /** Old parts are deleted at once, because they contain keys that were dropped. */
  createPersonKeys(): readonly string[] {
    return [
      `CREATE DATABASE IF NOT EXISTS ${quoteIdentifier(PERSON_KEYS.database)}${this.on}`,
      `${this.create(PERSON_KEYS)} (person_id String, wrapped String) ENGINE = ${this.everywhere} ORDER BY person_id ${this.settings}, old_parts_lifetime = 1`,
    ];
  }

  dropPersonKeys(personId: string, but: readonly string[] = []): string {
    const others = but.map((wrapped) => ` AND wrapped != ${quoteText(wrapped)}`).join('');
    return `${this.alter(PERSON_KEYS)} DELETE WHERE person_id = ${quoteText(personId)}${others} ${DONE}`;
  }

  /** @param change see `column-changes.ts` */
  changeColumns(each: TableName, change: string): string {
    return `${this.alter(each)} ${change}`;
  }

  /** All changes are in one statement, because the engine rewrites every part for each statement. */
  modifyColumns(each: TableName, columns: readonly Column[]): string {
    const changes = columns.map((column) => `MODIFY COLUMN ${define(column)}`);
    return `${this.alter(each)} ${changes.join(', ')}`;
  }

  /** Drops without SYNC, which would wait for the queries that read the table. */
  dropTable(table: TableName): readonly string[] {
    return this.tablesOf(table).map((each) => `DROP TABLE IF EXISTS ${qualified(each)}${this.on}`);
  }

  setRetention(table: TableName, days: number): string {
    const change =
      days === 0
        ? 'REMOVE TTL'
        : `MODIFY TTL \`_timestamp\` + toIntervalDay(${days}) ${DONE}, materialize_ttl_after_modify = 1`;
    return `${this.alter(this.stored(table))} ${change}`;
  }

  /** Builds the indexes for existing rows, all in one statement. */
  addIndexes(table: TableName, kind: IndexKind, all: readonly TypedIndex[]): readonly string[] {
    if (all.length === 0) return [];
    const alter = this.alter(this.stored(table));
    const names = all.map(({ indexed }) => quoteIdentifier(indexName(kind, indexed)));
    const added = all.map(
      ({ indexed, type }, at) =>
        `ADD INDEX IF NOT EXISTS ${names[at]} ${indexType(kind, indexed, type)}`,
    );
    const filled = names.map((name) => `MATERIALIZE INDEX ${name}`);
    return [`${alter} ${added.join(', ')}`, `${alter} ${filled.join(', ')} ${DONE}`];
  }

  /** @param names see {@link indexName} */
  dropIndexes(table: TableName, names: readonly string[]): readonly string[] {
    if (names.length === 0) return [];
    const drops = names.map((name) => `DROP INDEX IF EXISTS ${quoteIdentifier(name)}`);
    return [`${this.alter(this.stored(table))} ${drops.join(', ')} ${DONE}`];
  }

  dropRejected(database: string, streamId: string): string {
    return `${this.alter({ database, table: REJECTED_TABLE })} DROP PARTITION ${quoteText(streamId)}`;
  }

  removeRejected(database: string, streamId: string, rows: readonly RejectedRows[]): string {
    const numbers = rows.flatMap(({ partition, offset, rows: ofBatch }) =>
      ofBatch.map((row) => `(${partition},${offset},${row})`),
    );
    return (
      `${this.alter({ database, table: REJECTED_TABLE })} DELETE IN PARTITION ${quoteText(streamId)}` +
      ` WHERE (\`_partition\`, \`_offset\`, \`_row\`) IN (${numbers.join(',')}) ${DONE}`
    );
  }

  private get settings(): string {
    return this.cluster === undefined ? DURABLE : `${DURABLE}, replicated_deduplication_window = 0`;
  }

  private readonly create = (table: TableName): string =>
    `CREATE TABLE IF NOT EXISTS ${qualified(table)}${this.on}`;

  private readonly alter = (table: TableName): string =>
    `ALTER TABLE ${qualified(table)}${this.on}`;
}
