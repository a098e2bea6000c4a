import type { Readable } from 'node:stream';
import type { AuditTables } from './ports/audit-tables.js';
import type { EngineFormat } from './engine-formats.js';
import type { PersonKeyTable } from './ports/person-key-table.js';
import type { RowFile, RowFiles } from './row-files.js';
import type { StorageUse } from './ports/storage-use.js';
import type { TableBackups } from './ports/table-backups.js';
import type { TableHealth } from './ports/table-health.js';

/** A column; `type` is the engine's own type name, e.g. `Nullable(Int64)`. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** The content of an index: a column, or SQL of what is within one, with its type. */
export type Indexed = string | { readonly sql: string; readonly type: string };

export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** Bounds that every client's query runs under. */
export interface QueryLimits {
  readonly timeoutSeconds: number;
  readonly memoryBytes: number;
  /** The rows that a query may read of tables, before any filter that no index serves. */
  readonly readRows: number;
  readonly readBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  /** The bounds of all queries of an organization, a minute; a server holds them over all processes. */
  readonly organization?: { readonly seconds: number; readonly resultBytes: number };
}

/** `json`: one array of row objects. `ndjson`: a row object a line. `csv`: RFC 4180 with a header. `text`: tab-separated, unescaped. Arrow is not compressed. */
export type ResultFormat =
  'json' | 'ndjson' | 'csv' | 'text' | 'arrow-stream' | 'arrow-file' | 'parquet';

/** These formats, and those that clients of the engine ask for by the engine's names. */
export type AnswerFormat = ResultFormat | EngineFormat;

/** The rows and bytes that the engine has read for a query by now. */
export interface QueryProgress {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Rows of its answer, where that was whole before it began. */
  readonly resultRows?: number;
}

export interface WarehouseQuery {
  /** One statement. A client's text has passed the guard before it gets here. */
  readonly sql: string;
  /** Bare table names resolve in this database; without one only qualified names do. */
  readonly database?: string;
  readonly format: AnswerFormat;
  /** Values of `{name:Type}` placeholders, bound by the engine. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  readonly signal?: AbortSignal;
  /** Names the query to the engine; letters, digits and `-`. */
  readonly id?: string;
  /** The engine's own settings for this query only, over the adapter's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Is called while a stream is read, at least after each block. Each call costs a millisecond. */
  readonly onProgress?: (progress: QueryProgress) => void;
  /** The same, but only every so often: never for a query that is done within a fifth of a second. */
  readonly onSample?: (progress: QueryProgress) => void;
  /**
   * The same for callers that watch a query: from the beginning on, at intervals, and at least once
   * when the answer begins. No rows are held back for it, except the first mebibytes.
   */
  readonly onReading?: (progress: QueryProgress) => void;
  /** True where the statement reads little, which is in memory: one thread is faster, and the answer is probably small. */
  readonly isSmall?: boolean;
}

/**
 * The read side. The engine itself holds the session of every query read-only and within the limits
 * that were given when the warehouse was opened.
 * @throws {WarehouseError} before the first byte where the engine can tell by then, else as the
 * stream's error.
 */
export abstract class WarehouseReader {
  /** The engine's own bytes, never parsed here; a {@link WholeResult} where they are few. Destroying the stream, or aborting, stops the engine's work. */
  abstract stream(query: WarehouseQuery): Promise<Readable>;
  /** The whole result, however many rows it has; for what we ask ourselves, which is small. */
  abstract text(query: WarehouseQuery): Promise<string>;
}

/** Place of a batch in the ingest queue; its rows carry it. */
interface BatchPosition {
  readonly partition: number;
  readonly offset: bigint;
}

/** A batch in a file that the engine can read. Those of one file stand there one behind the other. */
export interface StoredBatch {
  readonly position: BatchPosition;
  /** Tells how many rows it has; told where it shares a file. */
  readonly rows?: number | undefined;
  /** Absolute path of a Native file, or of lines of JSON; its ending names format and compression. */
  readonly file: string;
  /** Lines only: the time of those that have none, in microseconds since the epoch. */
  readonly acceptedAt?: number | undefined;
  /** Lines only: what the numbers in `_timestamp` mean; undefined: microseconds. */
  readonly times?: WrittenTimes | undefined;
}

/** Whole numbers of microseconds, or numbers of whose unit their magnitude tells, and 0 for no time. */
export type WrittenTimes = 'microseconds' | 'by magnitude';

export interface BatchInsert {
  readonly table: TableName;
  /**
   * The stream whose rows these are. A table that belongs to another stream by now takes none of
   * them; rows of `_rejected` carry it.
   */
  readonly streamId: string;
  /** The batches' columns, the same in each. */
  readonly columns: readonly string[];
  /**
   * Where the batches are lines of JSON, these are the types by which `columns` are read, without the first,
   * `_timestamp`, which is a whole number there. Undefined: the batches are Native.
   */
  readonly types?: readonly string[] | undefined;
  /** The batches are of one partition, and together small enough for one part: see {@link ONE_PART}. */
  readonly batches: readonly StoredBatch[];
  /** The fence of the insert's writer, where several processes write. */
  readonly fence?: WriterFence;
}

/** Tells which writer of a partition somebody is: of two, the one with the greater epoch came later. */
interface WriterFence {
  readonly partition: number;
  readonly epoch: bigint;
}

/** So much fits into one part, so that an insert is there whole or not at all. */
export const ONE_PART = { rows: 1_000_000, bytes: 256 * 1024 * 1024 } as const;

/** Rows of `_rejected` that came with one batch. */
export interface RejectedRows extends BatchPosition {
  /** Their numbers within the batch, from 0; at most {@link REMOVED_AT_ONCE} in all. */
  readonly rows: readonly number[];
}

/** Rejected rows that one removal may name. */
export const REMOVED_AT_ONCE = 8000;

export abstract class WarehouseWriter {
  /**
   * Claims a partition. From then on no insert with an older fence stores anything, not even one
   * that has begun, so offsets that are read back afterwards are final. May be called again.
   * @throws {FencedError} when a greater epoch has claimed it.
   */
  abstract claim(partition: number, epoch: bigint): Promise<void>;
  /**
   * Inserts the batches as one part. When it resolves the rows are durable and visible.
   * @throws {FencedError} when a newer writer has claimed the partition; nothing is stored then.
   */
  abstract insert(insert: BatchInsert): Promise<void>;
  /**
   * Tells which queue offsets of `partition`, at or after `from`, have rows in the table: for the
   * partition's writer, which no insert of its own that failed can change afterwards.
   * @param epoch of the writer's claim, where several processes write.
   * @throws {FencedError} when a newer writer has claimed the partition, which keeps it
   */
  abstract storedOffsets(
    table: TableName,
    partition: number,
    from: bigint,
    epoch?: bigint,
  ): Promise<ReadonlySet<bigint>>;
}

/** Data definition. Every call may be repeated: what is already so stays so. */
export abstract class WarehouseSchema {
  /** A name for the database of an organization that is to be made. */
  abstract newDatabase(): string;
  abstract createDatabase(database: string): Promise<void>;
  /**
   * Drops a database with all its tables, and the rights to read them. No new query finds any of it
   * when this resolves; a query that reads a table ends as it began.
   */
  abstract dropDatabase(database: string): Promise<void>;
  /** All databases of organizations, whose names begin with `o_`. */
  abstract databases(): Promise<readonly string[]>;
  /**
   * `columns` without `_timestamp` and the position columns: every table has those. The table
   * remembers which stream it belongs to.
   */
  abstract createTable(
    table: TableName,
    columns: readonly Column[],
    streamId: string,
  ): Promise<void>;
  /** The table `_rejected` of an organization: records that did not fit, with the reason. */
  abstract createRejectedTable(database: string): Promise<void>;
  /**
   * Those that are there already stay as they are; one without a type (`UNTYPED`) gets its type.
   * May be repeated, also when it was cut off.
   * @throws {ColumnMismatchError} when the table has not all of them after
   */
  abstract addColumns(table: TableName, columns: readonly Column[]): Promise<void>;
  /** @throws {ColumnMismatchError} when the columns are not of these types after */
  abstract modifyColumns(table: TableName, columns: readonly Column[]): Promise<void>;
  /** Drops those of these columns that have no type; others stay. */
  abstract dropUntyped(table: TableName, names: readonly string[]): Promise<void>;
  /** The name is free when this resolves; queries that read the table end as they began. */
  abstract dropTable(table: TableName): Promise<void>;
  /** The same, unless the table belongs to another stream by now. */
  abstract dropStreamTable(table: TableName, streamId: string): Promise<void>;
  /** Rows whose `_timestamp` is older than so many days go, those there already too; 0 keeps all. */
  abstract setRetention(table: TableName, days: number): Promise<void>;
  /** Skip indexes on exactly these columns, for rows there already too. */
  abstract setSkipIndexes(table: TableName, columns: readonly Indexed[]): Promise<void>;
  /** Indexes of words on exactly these columns of text, for rows there already too. */
  abstract setTextIndexes(table: TableName, columns: readonly Indexed[]): Promise<void>;
  /** Columns as people see them, in order, `_timestamp` first; empty when there is no such table. */
  abstract columns(table: TableName): Promise<readonly Column[]>;
  /** All tables in databases of organizations, whose names begin with `o_`. */
  abstract tables(): Promise<readonly WarehouseTable[]>;
  /** Streams that have rows in `_rejected`. */
  abstract rejectedStreams(database: string): Promise<readonly string[]>;
  /** Forgets the rejected records of a stream. */
  abstract dropRejected(database: string, streamId: string): Promise<void>;
  /** Removes rows of `_rejected`. They are gone for good when it resolves. May be called again. */
  abstract removeRejected(
    database: string,
    streamId: string,
    rows: readonly RejectedRows[],
  ): Promise<void>;
}

export interface WarehouseTable extends TableName {
  /** Empty for a table that belongs to none. */
  readonly streamId: string;
  /** They are as people see them. */
  readonly columns: readonly Column[];
  /** 0: all rows are kept. */
  readonly retentionDays: number;
  /** Columns with a skip index. */
  readonly skipIndexes: readonly string[];
  /** Columns whose words are indexed. */
  readonly textIndexes: readonly string[];
}

export interface TableStatistics {
  readonly rows: number;
  /** Microseconds since the epoch; 0 while the table is empty. */
  readonly timeMin: number;
  readonly timeMax: number;
  /** Bytes before and after compression. */
  readonly uncompressedBytes: number;
  readonly compressedBytes: number;
}

export abstract class StreamStatistics {
  /** Gives the figures by table name; a table that does not exist is left out. */
  abstract statistics(
    database: string,
    tables: readonly string[],
  ): Promise<ReadonlyMap<string, TableStatistics>>;
  /**
   * Another text whenever the table's rows or columns are others; a merge may change it too.
   * Undefined where none can be told: no such table, or rows that are read from several nodes,
   * which need not have the same.
   */
  abstract version(table: TableName): Promise<string | undefined>;
}

/** Turns files into columnar batches and answers questions about them, with an engine beside this process. */
export abstract class LocalEngine {
  /** Runs one trusted statement under the strict input settings of acceptance; answers tab-separated text, unescaped. */
  abstract run(sql: string, params?: Readonly<Record<string, string>>): Promise<string>;

  /**
   * Runs one trusted SELECT and writes its rows, as they are read, into files in the engine's own
   * columnar form. Tells of each file that is full before it goes on, and of the last one at the end.
   */
  abstract spool(sql: string, files: RowFiles): AsyncIterable<RowFile>;
}

export interface Warehouse
  extends
    WarehouseReader,
    WarehouseWriter,
    WarehouseSchema,
    StreamStatistics,
    StorageUse,
    AuditTables,
    PersonKeyTable,
    TableHealth,
    TableBackups {
  close(): Promise<void>;
}
