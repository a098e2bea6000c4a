import { POSITION_COLUMNS, qualified, REJECTED_TABLE, STREAM_COLUMN } from '../ddl.js';
import { quoteIdentifier, quoteText } from '../identifier.js';
import type { ClientPool } from './client-pool.js';
import {
  ONE_PART,
  type BatchInsert,
  type StoredBatch,
  type TableName,
  type WarehouseWriter,
} from '../warehouse.js';

/**
 * One thread and blocks larger than any insert, so that an insert makes exactly one part and is
 * atomic by that. What changed its default lately or would hide rows is pinned.
 */
const ONE_PART_SETTINGS = [
  'insert_allow_materialized_columns = 1',
  'max_threads = 1',
  'max_insert_threads = 1',
  `min_insert_block_size_rows = ${2 * ONE_PART.rows}`,
  `min_insert_block_size_bytes = ${4 * ONE_PART.bytes}`,
  'max_insert_block_size = 1048576',
  'async_insert = 0',
  'insert_deduplicate = 0',
].join(', ');

/** Inserts columnar files as parts whose rows carry their queue position. */
export class ChdbWriter implements WarehouseWriter {
  constructor(private readonly clients: ClientPool) {}

  async insert({ table, columns, streamId, batches }: BatchInsert): Promise<void> {
    const names = columns.map(quoteIdentifier);
    const rows = batches.map((batch) => selectBatch(names, batch)).join(' UNION ALL ');
    const { into, select } =
      table.table === REJECTED_TABLE
        ? { into: [STREAM_COLUMN], select: `SELECT *, ${quoteText(streamId)} FROM (${rows})` }
        : { into: [], select: `SELECT * FROM (${rows}) WHERE ${belongsTo(table, streamId)}` };
    const target = [...names, ...[...POSITION_COLUMNS, ...into].map(quoteIdentifier)].join(', ');
    await this.clients.command(
      `INSERT INTO ${qualified(table)} (${target}) ${select} SETTINGS ${ONE_PART_SETTINGS}`,
    );
  }

  async storedOffsets(table: TableName, partition: number, from: bigint): Promise<Set<bigint>> {
    const query = `SELECT DISTINCT toString(_offset) AS stored FROM ${qualified(table)} WHERE _partition = ${partition} AND _offset >= ${from}`;
    const rows = await this.clients.rows<{ stored: string }>(query);
    return new Set(rows.map((row) => BigInt(row.stored)));
  }
}

/** In the order of {@link POSITION_COLUMNS}, under their names: a field may be called `0`, as a bare number would be. */
function selectBatch(names: readonly string[], { position, file }: StoredBatch): string {
  return (
    `SELECT ${names.join(', ')}, ${position.partition} AS \`_partition\`, ${position.offset} AS \`_offset\`,` +
    ` rowNumberInAllBlocks() AS \`_row\` FROM file(${quoteText(file)}, Native)`
  );
}

/**
 * SQL: whether the table is still this stream's. The engine finds the table to insert into before
 * it asks this, so rows never go into a table made meanwhile under the same name.
 */
function belongsTo({ database, table }: TableName, streamId: string): string {
  return `(SELECT any(comment) FROM system.tables WHERE database = ${quoteText(database)} AND name = ${quoteText(table)}) = ${quoteText(streamId)}`;
}
