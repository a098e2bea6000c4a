import { Injectable } from '@nestjs/common';
import { traced } from '@app/platform';
import { acceptRecords, type SchemaKeeper } from '../accept/accept-records.js';
import type { AcceptOptions, Chunk } from '../accept/chunk.js';
import { csvToRecords, type CsvShape } from '../accept/csv-records.js';
import { FairEngine } from '../accept/fair-engine.js';
import type { AcceptPart } from './accept-parts.js';
import type { EnqueuedChunk } from './enqueue-batches.js';

/**
 * Sized so that the engine parses one in a fraction of a second on one core, and that a handful
 * of them in work stay far below 256 MiB.
 */
export const CHUNK_BYTES = 16 * 1024 * 1024;

export interface ChunkOptions extends AcceptOptions {
  readonly organizationId: string;
  readonly csv?: CsvShape | undefined;
}

/** Makes parts of an upload out of its spooled chunks. */
@Injectable()
export class ChunkAcceptance {
  constructor(private readonly engine: FairEngine) {}

  async *parts(
    keeper: SchemaKeeper,
    chunks: AsyncIterable<Chunk>,
    options: ChunkOptions,
  ): AsyncIterable<AcceptPart> {
    for await (const chunk of chunks) {
      let records: Promise<Chunk> | undefined;
      yield async () => {
        records ??= this.asRecords(keeper, chunk, options);
        return this.accept(keeper, await records, options);
      };
    }
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

  private async accept(
    keeper: SchemaKeeper,
    chunk: Chunk,
    options: ChunkOptions,
  ): Promise<EnqueuedChunk> {
    const engine = this.engine.for(options.organizationId, options.uploadId, chunk.bytes);
    const accepted = await traced('accept', () => acceptRecords(engine, keeper, chunk, options), {
      attributes: { bytes: chunk.bytes },
    });
    return { ...accepted, recordBytes: chunk.bytes };
  }
}
