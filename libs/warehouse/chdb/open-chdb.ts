import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { drainPending, Session } from 'chdb';
import { createChdbConnection } from 'chdb/connection';
import type { LocalEngine, QueryLimits, Warehouse } from '../warehouse.js';
import { ChdbAuditTables } from './chdb-audit-tables.js';
import { ChdbLocalEngine, STRICT_INPUT } from './chdb-local-engine.js';
import { ChdbReader } from './chdb-reader.js';
import { ChdbSchema } from './chdb-schema.js';
import { ChdbWriter } from './chdb-writer.js';
import { writeEngineFiles } from './engine-files.js';
import { ClientPool } from './client-pool.js';
import { Pool } from './pool.js';
import { ReadingThread } from './reading-thread.js';
import { RunningQueries } from './running-queries.js';
import { sessionPool, type SessionPool } from './session-pool.js';

export interface ChdbOptions {
  /** Absolute; one process has it at a time. */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** Client queries that run at once; more wait. */
  readonly readers: number;
  /** Acceptance statements that run at once; more wait. */
  readonly acceptors: number;
}

export interface Chdb {
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
}

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** Inserts and definitions that run at once. */
const INSERTERS = 2;
const MAX_ACCEPT_MEMORY = 2 * 1024 ** 3;

/**
 * Starts ClickHouse's engine in this process on a data directory. The first session carries the
 * engine's configuration; the client's connections join the engine that is then there.
 */
export function openChdb({ directory, limits, readers, acceptors }: ChdbOptions): Chdb {
  const path = join(directory, 'store');
  mkdirSync(path, { recursive: true });
  const config = writeEngineFiles(join(directory, 'config'));
  const engine = openEngine(path, config);
  const pool = (args: readonly string[], size: number): SessionPool =>
    sessionPool(() => new Session(path, { connectionArgs: args }), size);
  const held = pool([...readOnly(limits), '--output_format_json_array_of_rows=1'], readers);
  const threads = new Pool(() => new ReadingThread(path), readers);
  const control = new Session(path);
  const accepting = pool([...STRICT_INPUT, `--max_memory_usage=${MAX_ACCEPT_MEMORY}`], acceptors);
  const clients = new ClientPool(
    new Pool(() => createClient({ connection: embeddedConnection(path) }), INSERTERS),
  );
  const results = join(directory, 'results');
  emptyDirectory(results);
  const reader = new ChdbReader({
    sessions: held,
    threads,
    running: new RunningQueries(control),
    args: readOnly(limits),
    directory: results,
    timeoutSeconds: limits.timeoutSeconds,
  });
  const writer = new ChdbWriter(clients);
  const schema = new ChdbSchema(clients);
  const audit = new ChdbAuditTables(clients);
  const close = async (): Promise<void> => {
    await reader.close();
    for (const pool of [held, accepting]) {
      for (const { session } of pool.all()) session.close();
    }
    control.close();
    await clients.close();
    engine.close();
    // A query whose client left may still run: its connection goes when it ends, and the engine with
    // the last one. At exit its teardown can deadlock with its own background threads.
    await drainPending();
  };
  return {
    warehouse: compose({ reader, writer, schema, audit }, close),
    localEngine: new ChdbLocalEngine(accepting),
  };
}

function openEngine(path: string, config: string): Session {
  try {
    return new Session(path, { connectionArgs: [`--config-file=${config}`] });
  } catch (error) {
    // The engine writes the reason to stderr and tells us none.
    throw new Error(
      `the data directory ${path} is in use by another process, or cannot be opened`,
      {
        cause: error,
      },
    );
  }
}

/** chdb types its connection by its own copy of the client's declarations; the shapes are the same. */
function embeddedConnection(path: string): ClientConnection {
  return createChdbConnection({ path }) as unknown as ClientConnection;
}

function readOnly(limits: QueryLimits): readonly string[] {
  return [
    '--readonly=1',
    `--max_execution_time=${limits.timeoutSeconds}`,
    '--timeout_overflow_mode=throw',
    `--max_memory_usage=${limits.memoryBytes}`,
    `--max_rows_to_read=${limits.readRows}`,
    `--max_bytes_to_read=${limits.readBytes}`,
    '--read_overflow_mode=throw',
    `--max_result_rows=${limits.resultRows}`,
    `--max_result_bytes=${limits.resultBytes}`,
    '--result_overflow_mode=throw',
    '--session_timezone=UTC',
    '--date_time_output_format=iso',
    '--output_format_json_quote_64bit_integers=0',
    '--output_format_json_quote_denormals=0',
    '--output_format_json_escape_forward_slashes=0',
    '--output_format_arrow_compression_method=none',
    // What every reader of Parquet knows.
    '--output_format_parquet_compression_method=snappy',
    '--json_type_escape_dots_in_keys=1',
    '--joined_subquery_requires_alias=0',
    '--union_default_mode=DISTINCT',
    // Analysis cannot be interrupted, and names that stand for one another make trees of any size.
    `--max_expanded_ast_elements=${TREE_MAX}`,
    // What does not fit into memory is sorted on disk.
    `--max_temporary_data_on_disk_size_for_query=${limits.memoryBytes * SPILL}`,
    // Patterns that are longer take minutes to compile, which no limit stops.
    `--max_hyperscan_regexp_length=${PATTERN_MAX}`,
    `--max_hyperscan_regexp_total_length=${PATTERNS_MAX}`,
  ];
}

const TREE_MAX = 100_000;
const SPILL = 4;
const PATTERN_MAX = 1000;
const PATTERNS_MAX = 10_000;

/** What a crash left there belongs to nobody. */
function emptyDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
}

interface Adapters {
  readonly reader: ChdbReader;
  readonly writer: ChdbWriter;
  readonly schema: ChdbSchema;
  readonly audit: ChdbAuditTables;
}

function compose(
  { reader, writer, schema, audit }: Adapters,
  close: () => Promise<void>,
): Warehouse {
  return {
    stream: (query) => reader.stream(query),
    text: (query) => reader.text(query),
    insert: (insert) => writer.insert(insert),
    storedOffsets: (table, partition, from) => writer.storedOffsets(table, partition, from),
    createDatabase: (database) => schema.createDatabase(database),
    createTable: (table, columns, streamId) => schema.createTable(table, columns, streamId),
    createRejectedTable: (database) => schema.createRejectedTable(database),
    addColumns: (table, columns) => schema.addColumns(table, columns),
    modifyColumn: (table, column) => schema.modifyColumn(table, column),
    dropTable: (table) => schema.dropTable(table),
    columns: (table) => schema.columns(table),
    dropStreamTable: (table, streamId) => schema.dropStreamTable(table, streamId),
    setRetention: (table, days) => schema.setRetention(table, days),
    setSkipIndexes: (table, columns) => schema.setSkipIndexes(table, columns),
    tables: () => schema.tables(),
    rejectedStreams: (database) => schema.rejectedStreams(database),
    dropRejected: (database, streamId) => schema.dropRejected(database, streamId),
    statistics: (database, tables) => schema.statistics(database, tables),
    createAuditTable: (database) => audit.createAuditTable(database),
    appendAudit: (database, rows) => audit.appendAudit(database, rows),
    lastAudit: (database) => audit.lastAudit(database),
    auditPage: (database, filter) => audit.auditPage(database, filter),
    auditAfter: (database, position, limit) => audit.auditAfter(database, position, limit),
    eraseFromAudit: (database, personIds) => audit.eraseFromAudit(database, personIds),
    truncateAudit: (database, position) => audit.truncateAudit(database, position),
    close,
  };
}
