import { Injectable } from '@nestjs/common';
import { acceptRecords, type AcceptOptions, type SchemaKeeper } from '../accept/accept-records.js';
import type { Chunk } from '../accept/chunk.js';
import { FairEngine } from '../accept/fair-engine.js';
import { csvToRecords, type CsvShape } from '../accept/csv-records.js';
import type { EnqueuedChunk } from './enqueue-batches.js';
import { SchemaGate } from './schema-gate.js';
import { Spool } from './spool.js';

/**
 * Sized so that the engine parses one in a fraction of a second on one core, and that a handful
 * of them in work stay far below 256 MiB.
 */
export const CHUNK_BYTES = 16 * 1024 * 1024;
/** Chunks in acceptance or waiting for it; a client that sends faster is slowed down. */
const CHUNKS_IN_WORK = 4;

/** With so much waiting for the engine an upload gets no further than one chunk: the disk is not for queueing. */
const CROWDED = 8;

export interface ChunkOptions extends AcceptOptions {
  readonly organizationId: string;
  readonly csv?: CsvShape | undefined;
}

export interface AcceptedPart {
  readonly chunk: Chunk;
  readonly result: EnqueuedChunk;
}

/** Accepts an upload's chunks while the next ones arrive. */
@Injectable()
export class ChunkAcceptance {
  constructor(
    private readonly engine: FairEngine,
    private readonly spool: Spool,
    private readonly gate: SchemaGate,
  ) {}

  /** The first chunk goes alone: it may have to make the stream. */
  async all(
    keeper: SchemaKeeper,
    chunks: AsyncIterable<Chunk>,
    options: ChunkOptions,
  ): Promise<AcceptedPart[]> {
    const working = new Set<Promise<void>>();
    const accepted: AcceptedPart[] = [];
    try {
      for await (const chunk of chunks) {
        const index = accepted.push({ chunk, result: NOTHING }) - 1;
        const accept = async (): Promise<void> => {
          const records = await this.asRecords(keeper, chunk, options);
          const result = await this.one(keeper, records, options);
          accepted[index] = { chunk: records, result };
        };
        const work = this.firstAlone(keeper, options, accept).then(() => {
          working.delete(work);
        });
        // Failure is seen where the set is awaited; it must not count as unhandled before.
        work.catch(() => undefined);
        working.add(work);
        if (index > 0) await this.spool.checkFree();
        const most = index === 0 || this.engine.waiting > CROWDED ? 1 : CHUNKS_IN_WORK;
        while (working.size >= most) await Promise.race(working);
      }
      await Promise.all(working);
      return accepted;
    } finally {
      await Promise.allSettled(working);
    }
  }

  /** Accepts some of them again, by the schema that is in force now. */
  async again(
    keeper: SchemaKeeper,
    parts: AcceptedPart[],
    outdated: readonly number[],
    options: ChunkOptions,
  ): Promise<void> {
    for (const index of outdated) {
      const part = parts[index];
      if (!part) continue;
      parts[index] = {
        chunk: part.chunk,
        result: await this.one(keeper, part.chunk, options),
      };
    }
  }

  /** Of many uploads that come to a stream that is new, one surveys it and makes it; the others wait for that. */
  private firstAlone(
    keeper: SchemaKeeper,
    { organizationId, stream }: ChunkOptions,
    work: () => Promise<void>,
  ): Promise<void> {
    if (keeper.current()) return work();
    return this.gate.alone(JSON.stringify(['first', organizationId, stream]), work);
  }

  private async asRecords(
    keeper: SchemaKeeper,
    chunk: Chunk,
    { csv, organizationId, uploadId }: ChunkOptions,
  ): Promise<Chunk> {
    if (!csv) return chunk;
    const engine = this.engine.for(organizationId, uploadId, chunk.bytes);
    return csvToRecords(engine, chunk, csv, keeper.current()?.columns ?? []);
  }

  private async one(
    keeper: SchemaKeeper,
    chunk: Chunk,
    options: ChunkOptions,
  ): Promise<EnqueuedChunk> {
    const engine = this.engine.for(options.organizationId, options.uploadId, chunk.bytes);
    const accepted = await acceptRecords(engine, keeper, chunk, options);
    return { ...accepted, recordBytes: chunk.bytes };
  }
}

const NOTHING: EnqueuedChunk = {
  schema: undefined,
  accepted: undefined,
  rejected: undefined,
  recordBytes: 0,
};
