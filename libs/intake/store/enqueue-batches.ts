import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import {
  AlreadyAppendedError,
  IngestQueue,
  QueueFullError,
  type KeptAppend,
  type NamedAppend,
  type Payload,
  type QueuePosition,
  type QueueRecord,
} from '@app/ingest-queue';
import {
  currentTrace,
  MillraceError,
  traced,
  traceHeaders,
  type RequestOrganization,
  type TraceContext,
} from '@app/platform';
import { REJECTED_TABLE, type Column, type TableName } from '@app/warehouse';
import {
  type AcceptedChunk,
  type ColumnarFile,
  FairEngine,
  type SchemaKeeper,
  type StreamSchema,
} from '@app/acceptance';
import {
  type Batch,
  endingOf,
  type RejectedRemoval,
  toHeaders,
  toRemovalRecord,
} from '@app/writer';
import { countStored } from './ingest-metrics.js';
import { SchemaLock } from './schema-lock.js';
import { StorageBounds } from './storage-bounds.js';
import { bytesInTable } from '../spool/bytes-in-table.js';
import { splitBatch } from './split-batch.js';

export type EnqueuedChunk = AcceptedChunk & { readonly recordBytes: number };

/** A smaller payload travels in the queue's own record, because a file for each would cost more. */
export const INLINE_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** The stream and the table that batches go to. */
export interface Destination {
  readonly organization: RequestOrganization;
  readonly stream: string;
  readonly keeper: SchemaKeeper;
}

export interface StreamChunks {
  readonly to: Destination;
  readonly chunks: readonly EnqueuedChunk[];
  readonly removal?: RejectedRemoval | undefined;
  /** The trace that the work belongs to, if streams of one append have traces of their own. */
  readonly trace?: TraceContext;
}

/** The indexes of the chunks. */
export interface OutdatedChunk {
  readonly stream: number;
  readonly chunk: number;
}

/** The positions of all batches, or the earlier upload under the same name. */
export type Appended =
  { readonly positions: readonly QueuePosition[] } | { readonly before: KeptAppend };

/** The same, or the chunks that must be accepted again. */
type Enqueued = Appended | { readonly outdated: readonly OutdatedChunk[] };

/** Tells whether the batches are on the queue now, or the same upload has put them there before. */
export type Put = 'stored' | 'before';

@Injectable()
export class BatchEnqueuer {
  constructor(
    private readonly queue: IngestQueue,
    private readonly lock: SchemaLock,
    private readonly engine: FairEngine,
    private readonly storage: StorageBounds,
  ) {}

  /**
   * Puts all batches of an upload on the queue in one append: they are there together or not at
   * all. A column that widened since a chunk was accepted may not be exact for it any more: then
   * nothing is put there. A removal goes with the batches, or alone, behind what is there already.
   * @throws {MillraceError} QUEUE_FULL, STORAGE_FULL
   */
  async enqueueAll(streams: readonly StreamChunks[], once?: NamedAppend): Promise<Enqueued> {
    let appended: Appended = { positions: [] };
    const outdated = await this.enqueueTogether(streams, async (records) => {
      appended = await this.admitted(streams, records, () => this.append(records, once));
      return 'before' in appended ? 'before' : 'stored';
    });
    return outdated.length > 0 ? { outdated } : appended;
  }

  /**
   * All chunks of an upload belong to one organization. Bytes that do not get onto the queue are
   * not counted.
   */
  private async admitted(
    streams: readonly StreamChunks[],
    records: readonly QueueRecord[],
    append: () => Promise<Appended>,
  ): Promise<Appended> {
    const organization = streams[0]?.to.organization;
    // Without a bound they are not counted, and to look at them would take a few milliseconds.
    const bytes = this.storage.hasBound ? await payloadBytes(records) : records.length;
    if (!organization || bytes === 0) return append();
    await this.storage.admit(organization, bytes);
    let isNew = false;
    try {
      const appended = await append();
      isNew = 'positions' in appended;
      return appended;
    } finally {
      if (!isNew) this.storage.add(organization, -bytes);
    }
  }

  /**
   * Does the same for several streams at once; `put` takes all their batches.
   * @returns the places of chunks that must be accepted again; in that case nothing was put on the
   *   queue.
   */
  enqueueTogether(
    streams: readonly StreamChunks[],
    put: (records: readonly QueueRecord[]) => Promise<Put>,
  ): Promise<readonly OutdatedChunk[]> {
    const within = async (): Promise<readonly OutdatedChunk[]> => {
      const outdated = streams.flatMap(({ to, chunks }, stream) =>
        outdatedOf(to, chunks).map((chunk) => ({ stream, chunk })),
      );
      if (outdated.length > 0) return outdated;
      const records: QueueRecord[] = [];
      for (const { to, chunks, removal, trace } of streams) {
        const { share: owner, database } = to.organization;
        const own = await this.toRecords(to, chunks, traceHeaders(trace));
        if (removal) own.push(toRemovalRecord(keyOf(database, to.stream), removal));
        records.push(...own.map((record) => ({ ...record, owner })));
      }
      if ((await put(records)) === 'stored') countStored(streams.flatMap(({ chunks }) => chunks));
      return [];
    };
    const keys = streams.map(({ to }) => lockKey(to.organization, to.stream));
    const [parent = currentTrace(), ...links] = streams.flatMap(({ trace = [] }) => trace);
    const span = { kind: 'producer', parent, links } as const;
    return traced('enqueue', () => this.lock.sharedAll(keys, within), span);
  }

  private async toRecords(
    { organization: { share, database }, stream }: Destination,
    chunks: readonly EnqueuedChunk[],
    traceparent: Readonly<Record<string, string>>,
  ): Promise<QueueRecord[]> {
    const records: QueueRecord[] = [];
    // An upload that is about to end goes before all uploads that have just begun.
    const engine = this.engine.for(share, '', Infinity);
    const key = keyOf(database, stream);
    for (const { schema, accepted, rejected, recordBytes } of chunks) {
      const streamId = schema?.id ?? '';
      const add = async (table: TableName, batch: ColumnarFile, ofAll: number): Promise<void> => {
        for (const piece of await splitBatch(engine, batch, this.queue.payloadBytesMax)) {
          const bytes = Math.ceil((ofAll * piece.rows) / batch.rows);
          const record = await toRecord(key, { table, streamId, recordBytes: bytes }, piece);
          records.push({ ...record, headers: { ...traceparent, ...record.headers } });
        }
      };
      if (accepted) await add(tableOf(schema), accepted, recordBytes);
      // The rejected ones of many chunks are inserted at once if they are few.
      const bytes = rejected?.rejections?.bytes ?? recordBytes;
      if (rejected) await add({ database, table: REJECTED_TABLE }, rejected, bytes);
    }
    return records;
  }

  private async append(
    records: readonly QueueRecord[],
    once: NamedAppend | undefined,
  ): Promise<Appended> {
    if (records.length === 0 && !once) return { positions: [] };
    try {
      return { positions: await this.queue.append(records, once) };
    } catch (error) {
      if (error instanceof AlreadyAppendedError) return { before: error.kept };
      if (!(error instanceof QueueFullError)) throw error;
      throw new MillraceError(
        'QUEUE_FULL',
        'the ingest queue is full; nothing of this upload was stored; try again later',
        { retryAfterSeconds: RETRY_AFTER_SECONDS, detail: error.message, cause: error },
      );
    }
  }
}

/** The positions of the last batch and the first; undefined when there was nothing to store. */
export const endsOf = ({
  positions,
}: {
  readonly positions: readonly QueuePosition[];
}): {
  readonly position: QueuePosition | undefined;
  readonly first: QueuePosition | undefined;
} => ({
  position: positions.at(-1),
  first: positions[0],
});

/** Ids of the streams that batches of these chunks belong to. */
export const streamsOf = (chunks: readonly EnqueuedChunk[]): string[] =>
  chunks.flatMap(({ schema, accepted, rejected }) =>
    schema && (accepted ?? rejected) ? [schema.id] : [],
  );

/** Removals have no such stream. */
async function payloadBytes(records: readonly QueueRecord[]): Promise<number> {
  let sum = 0;
  for (const { payload } of records)
    sum += 'file' in payload ? await bytesInTable(payload.file) : payload.bytes.length;
  return sum;
}

/** Batches from one stream to one table keep their order. */
/** The key that batches of a stream, and of its rejected records, have in the queue. */
export const keyOf = (database: string, stream: string): string => `${database}/${stream}`;

/** Identifies a stream, also before it exists. */
export const lockKey = ({ id }: RequestOrganization, stream: string): string => `${id}/${stream}`;

function outdatedOf({ keeper }: Destination, chunks: readonly EnqueuedChunk[]): readonly number[] {
  const columns = keeper.current()?.columns ?? [];
  return chunks.flatMap((chunk, index) => (isOutdated(chunk, columns) ? [index] : []));
}

/**
 * Tells whether a column has changed its type since the chunk was judged. This matters even for a
 * chunk without accepted records: a value that was rejected may fit a wider column.
 */
function isOutdated({ schema }: EnqueuedChunk, columns: readonly Column[]): boolean {
  if (!schema) return false;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return schema.columns.some(({ name, type }) => types.get(name) !== type);
}

const tableOf = ({ database, name }: StreamSchema): TableName => ({
  database,
  table: name,
});

async function toRecord(
  key: string,
  place: Pick<Batch, 'table' | 'streamId' | 'recordBytes'>,
  { file, content, rows, columns, types, acceptedAt, times }: ColumnarFile,
): Promise<QueueRecord> {
  const isInline = content !== undefined || place.recordBytes <= INLINE_BYTES;
  const payload: Payload = isInline ? { bytes: content ?? (await readFile(file)) } : { file };
  const batch = { ...place, columns, types, acceptedAt, times, ending: endingOf(file), rows };
  return { key, headers: toHeaders(batch), payload };
}
