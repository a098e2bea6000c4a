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

/** The indexed expression: a column, or SQL of a field within one, with its type. */
export type Indexed = string | { readonly sql: string; readonly type: string };

export interface TableName {
  readonly database: string;
  readonly table: string;
}

/** The limits of every client's query. */
export interface QueryLimits {
  readonly timeoutSeconds: number;
  readonly memoryBytes: number;
  /** The rows that a query may read of tables, before any filter that no index serves. */
  readonly readRows: number;
  readonly readBytes: number;
  readonly resultRows: number;
  readonly resultBytes: number;
  /** The limits of all queries of an organization in a minute; a server applies them over all processes. */
  readonly organization?: { readonly seconds: number; readonly resultBytes: number };
}

/** `json`: one array of row objects. `ndjson`: a row object a line. `csv`: RFC 4180 with a header. `text`: tab-separated, unescaped. Arrow is not compressed. */
export type ResultFormat =
  'json' | 'ndjson' | 'csv' | 'text' | 'arrow-stream' | 'arrow-file' | 'parquet';

/** These formats, and those that the engine's clients request by the engine's names. */
export type AnswerFormat = ResultFormat | EngineFormat;

/** The rows and bytes that the engine has read for a query so far. */
export interface QueryProgress {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** The rows of its answer, if the answer was complete before it began. */
  readonly resultRows?: number;
}

export interface WarehouseQuery {
  /** One statement. A client's text has passed the guard before it gets here. */
  readonly sql: string;
  /**
   * Table names without a database belong to this database; without one, only qualified names work.
   */
  readonly database?: string;
  readonly format: AnswerFormat;
  /** Values of `{name:Type}` placeholders, bound by the engine. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  readonly signal?: AbortSignal;
  /** The query's id in the engine; letters, digits and `-`. */
  readonly id?: string;
  /** The engine's own settings for this query only, over the adapter's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Is called while a stream is read, at least after each block. Each call costs a millisecond. */
  readonly onProgress?: (progress: QueryProgress) => void;
  /** The same, but at intervals: never for a query that ends within a fifth of a second. */
  readonly onSample?: (progress: QueryProgress) => void;
  /**
   * The same, for callers who watch a query: from the beginning on, at intervals, and at least once
   * when the answer begins. No rows are held back for it, except the first mebibytes.
   */
  readonly onReading?: (progress: QueryProgress) => void;
  /** True if the statement reads little, and from memory: one thread is faster, and the answer is probably small. */
  readonly isSmall?: boolean;
}

/**
 * The read side. The engine itself holds the session of every query read-only and within the limits
 * from the opening of the warehouse.
 * @throws {WarehouseError} before the first byte where the engine can tell by then, else as the
 *   stream's error.
 */
export abstract class WarehouseReader {
  /** The engine's own bytes, never parsed here; a {@link WholeResult} if they are few. Destroying the stream, or aborting, stops the engine's work. */
  abstract stream(query: WarehouseQuery): Promise<Readable>;
  /**
   * The whole result, however many rows it has. It is for our own queries, whose results are small.
   */
  abstract text(query: WarehouseQuery): Promise<string>;
}

/** Place of a batch in the ingest queue; its rows carry it. */
interface BatchPosition {
  readonly partition: number;
  readonly offset: bigint;
}

/** A batch in a file that the engine can read. Batches in the same file follow each other. */
export interface StoredBatch {
  readonly position: BatchPosition;
  /** The number of its rows; given if it shares a file. */
  readonly rows?: number | undefined;
  /** Absolute path of a Native file, or of lines of JSON; its ending names format and compression. */
  readonly file: string;
  /** Lines only: the time of those that have none, in microseconds since the epoch. */
  readonly acceptedAt?: number | undefined;
  /** Lines only: the unit of the numbers in `_timestamp`; undefined: microseconds. */
  readonly times?: WrittenTimes | undefined;
}

/** Whole microseconds, or numbers whose size decides the unit, with 0 for no time. */
export type WrittenTimes = 'microseconds' | 'by magnitude';

export interface BatchInsert {
  readonly table: TableName;
  /** The stream of these rows. A table that now belongs to another stream takes none of them; rows of `_rejected` store it. */
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
  /** The fence of the insert's writer, if several processes write. */
  readonly fence?: WriterFence;
}

/**
 * Identifies a writer of a partition: of two writers, the one with the greater epoch came later.
 */
interface WriterFence {
  readonly partition: number;
  readonly epoch: bigint;
}

/** This much fits into one part, so that an insert is stored completely or not at all. */
export const ONE_PART = { rows: 1_000_000, bytes: 256 * 1024 * 1024 } as const;

/** Rows of `_rejected` that came with one batch. */
export interface RejectedRows extends BatchPosition {
  /** Their numbers within the batch, from 0; at most {@link REMOVED_AT_ONCE} in all. */
  readonly rows: readonly number[];
}

/** The number of rejected rows that one removal may name. */
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

/** Data definition. Every call may be repeated: if there is nothing to change, nothing changes. */
export abstract class WarehouseSchema {
  /** Makes a name for the database of a new organization. */
  abstract newDatabase(): string;
  abstract createDatabase(database: string): Promise<void>;
  /**
   * Drops a database with all its tables, and the rights to read them. When this resolves, no new
   * query finds any of it; a running query of a table finishes.
   */
  abstract dropDatabase(database: string): Promise<void>;
  /** All databases of organizations, whose names begin with `o_`. */
  abstract databases(): Promise<readonly string[]>;
  /** `columns` without `_timestamp` and the position columns: every table has those. The table remembers which stream it belongs to. */
  abstract createTable(
    table: TableName,
    columns: readonly Column[],
    streamId: string,
  ): Promise<void>;
  /** The table `_rejected` of an organization: records that did not fit, with the reason. */
  abstract createRejectedTable(database: string): Promise<void>;
  /**
   * Existing columns do not change, except that one without a type (`UNTYPED`) gets its type. May
   * be repeated, also when it was cut off.
   * @throws {ColumnMismatchError} when the table has not all of them after
   */
  abstract addColumns(table: TableName, columns: readonly Column[]): Promise<void>;
  /** Changes types of columns. @throws {ColumnMismatchError} when the columns do not have these types afterwards */
  abstract modifyColumns(table: TableName, columns: readonly Column[]): Promise<void>;
  /** Drops those of these columns that have no type; others stay. */
  abstract dropUntyped(table: TableName, names: readonly string[]): Promise<void>;
  /** Drops a table. Its name is free when this resolves; running queries of the table finish. */
  abstract dropTable(table: TableName): Promise<void>;
  /** Does the same, unless the table now belongs to another stream. */
  abstract dropStreamTable(table: TableName, streamId: string): Promise<void>;
  /** Deletes rows whose `_timestamp` is older than so many days, including existing ones; 0 keeps all. */
  abstract setRetention(table: TableName, days: number): Promise<void>;
  /** Makes skip indexes on exactly these columns, also for existing rows. */
  abstract setSkipIndexes(table: TableName, columns: readonly Indexed[]): Promise<void>;
  /** Makes indexes of words on exactly these columns of text, also for existing rows. */
  abstract setTextIndexes(table: TableName, columns: readonly Indexed[]): Promise<void>;
  /** The visible columns in order, `_timestamp` first; empty when there is no such table. */
  abstract columns(table: TableName): Promise<readonly Column[]>;
  /** All tables in databases of organizations, whose names begin with `o_`. */
  abstract tables(): Promise<readonly WarehouseTable[]>;
  /** Streams that have rows in `_rejected`. */
  abstract rejectedStreams(database: string): Promise<readonly string[]>;
  /** Deletes the rejected records of a stream. */
  abstract dropRejected(database: string, streamId: string): Promise<void>;
  /** Removes rows of `_rejected`. They are gone for good when it resolves. May be called again. */
  abstract removeRejected(
    database: string,
    streamId: string,
    rows: readonly RejectedRows[],
  ): Promise<void>;
}

export interface WarehouseTable extends TableName {
  /** Empty for a table that belongs to no stream. */
  readonly streamId: string;
  /** The visible columns. */
  readonly columns: readonly Column[];
  /** 0 means that all rows are kept. */
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
   * A text that changes whenever the table's rows or columns do; a merge may change it too.
   * Undefined if there is none: the table does not exist, or rows are read from several nodes,
   * which may differ.
   */
  abstract version(table: TableName): Promise<string | undefined>;
}

/** Converts files to columnar batches and answers questions about them, with an engine beside this process. */
export abstract class LocalEngine {
  /** Runs one trusted statement under acceptance's strict input settings; returns tab-separated text, unescaped. */
  abstract run(sql: string, params?: Readonly<Record<string, string>>): Promise<string>;

  /**
   * Runs one trusted SELECT and writes its rows, as they are read, into files in the engine's own
   * columnar form. It reports each full file before it goes on, and the last one at the end.
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
