import { certain } from '@app/platform';
import type { StreamsProjection } from '@app/streams';
import type { Column, WarehouseTable } from '@app/warehouse';
import type { Batch } from '@app/writer';

/** Batches wait for this table. It is not there, because its stream is in no event. */
export interface WaitingTable {
  /**
   * The table as the batches would have it. Batches of Parquet, Arrow and Delta tables do not tell
   * types.
   */
  readonly table: WarehouseTable;
  readonly rows: number;
}

type Known = Pick<StreamsProjection, 'byId' | 'isDeleted'>;

/**
 * Gives the batches that wait one after the other.
 * @returns the number of batches, about, that were not looked at because a bound was reached
 */
export type ReadWaiting = (each: (batch: Batch) => void) => Promise<number>;

interface FoundWaiting {
  readonly tables: readonly WaitingTable[];
  /** The number of batches, about, that were not looked at. */
  readonly unread: number;
}

/**
 * @param tables the tables that exist; their batches go into them when their streams are adopted
 */
export async function waitingTables(
  readWaiting: ReadWaiting,
  streams: Known,
  tables: readonly WarehouseTable[],
): Promise<FoundWaiting> {
  const there = new Set(tables.map(({ streamId }) => streamId));
  const found = new Map<string, { batch: Batch; types: Map<string, string>; rows: number }>();
  const unread = await readWaiting((batch) => {
    const { streamId, columns, types, rows } = batch;
    if (there.has(streamId) || !isLost(batch, streams)) return;
    const of = found.get(streamId) ?? { batch, types: new Map<string, string>(), rows: 0 };
    found.set(streamId, of);
    of.rows += rows;
    // The first column is the record's time, which every table has.
    types?.forEach((type, at) =>
      of.types.set(certain(columns[at + 1], `column of type ${type}`), type),
    );
  });
  const waiting = [...found.values()].map(({ batch, types, rows }) => ({
    table: tableOf(batch, types),
    rows,
  }));
  const isLast = ({ table }: WaitingTable): boolean =>
    !waiting.some((other) => isNewer(other.table, table));
  return { tables: waiting.filter(isLast), unread };
}

/** Several streams may have had one name after the other. The last one counts; ids tell their order. */
const isNewer = (one: WarehouseTable, other: WarehouseTable): boolean =>
  one.database === other.database && one.table === other.table && one.streamId > other.streamId;

/** Batches of rejected records belong to no stream, or to the table of the rejected. */
const isLost = ({ streamId, table }: Batch, streams: Known): boolean =>
  streamId !== '' &&
  !table.table.startsWith('_') &&
  streams.byId(streamId) === undefined &&
  !streams.isDeleted(streamId);

function tableOf({ table, streamId }: Batch, types: ReadonlyMap<string, string>): WarehouseTable {
  const columns = [...types].map(([name, type]): Column => ({ name, type }));
  return { ...table, streamId, columns, retentionDays: 0, skipIndexes: [], textIndexes: [] };
}
