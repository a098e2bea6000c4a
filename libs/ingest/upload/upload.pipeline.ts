import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { streamNameProblem } from '@app/streams';
import { LocalEngine } from '@app/warehouse';
import { acceptRecords, type AcceptOptions, type SchemaKeeper } from '../accept/accept-records.js';
import type { Chunk } from '../accept/chunk.js';
import { BatchEnqueuer, type EnqueuedChunk } from './enqueue-batches.js';
import { frameRecords, type RecordUnit } from './frame-records.js';
import { GroupedUploads } from './grouped-uploads.js';
import { readSmall } from './read-small.js';
import { Spool } from './spool.js';
import { spoolChunks } from './spool-chunks.js';
import { StreamSchemas, type Uploader } from './stream-schemas.js';
import { resultOf, type UploadResult } from './upload-result.js';

export interface UploadRequest {
  readonly organization: RequestOrganization;
  readonly stream: string;
  /** Decoded. */
  readonly body: Readable;
  readonly maxRecordBytes: number;
  readonly uploader: Uploader;
}

/**
 * Sized so that the engine parses one in a fraction of a second on one core, and that a handful
 * of them in work stay far below 256 MiB.
 */
const CHUNK_BYTES = 16 * 1024 * 1024;
/** Chunks in acceptance or waiting for it; a client that sends faster is slowed down. */
const CHUNKS_IN_WORK = 4;

/**
 * The way of an upload: spool → accept → enqueue → answer. What is answered is on disk in the
 * queue, all of it; an upload that fails anywhere leaves nothing. Small bodies take the same way
 * in groups.
 */
@Injectable()
export class UploadPipeline {
  constructor(
    private readonly engine: LocalEngine,
    private readonly enqueuer: BatchEnqueuer,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly groups: GroupedUploads,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async upload(request: UploadRequest): Promise<UploadResult> {
    const problem = streamNameProblem(request.stream);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    const { lines, unit } = await frameRecords(request.body as AsyncIterable<Buffer>);
    const body = await readSmall(lines);
    if (body.whole) return this.groups.upload(request, body.bytes, unit);
    return this.uploadSpooled(request, body.lines, unit);
  }

  private uploadSpooled(
    request: UploadRequest,
    lines: AsyncIterable<Buffer>,
    unit: RecordUnit,
  ): Promise<UploadResult> {
    const { organization, stream, uploader, maxRecordBytes } = request;
    const uploadId = ulid();
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const options = { uploadId, stream, acceptedAt: Date.now() * 1000 };
    return this.spool.use(uploadId, async (directory) => {
      const chunks = spoolChunks(lines, { directory, chunkBytes: CHUNK_BYTES, maxRecordBytes });
      const accepted = await this.acceptAll(keeper, chunks, options);
      return this.enqueue(request, keeper, options, accepted, unit);
    });
  }

  /** Accepts chunks while the next ones arrive. The first goes alone: it may have to make the stream. */
  private async acceptAll(
    keeper: SchemaKeeper,
    chunks: AsyncIterable<Chunk>,
    options: AcceptOptions,
  ): Promise<Accepted[]> {
    const working = new Set<Promise<void>>();
    const accepted: Accepted[] = [];
    try {
      for await (const chunk of chunks) {
        const index = accepted.push({ chunk, result: NOTHING }) - 1;
        const work = this.accept(keeper, chunk, options).then((result) => {
          accepted[index] = { chunk, result };
          working.delete(work);
        });
        // Failure is seen where the set is awaited; it must not count as unhandled before.
        work.catch(() => undefined);
        working.add(work);
        if (index === 0) await work;
        else await this.spool.checkFree();
        while (working.size >= CHUNKS_IN_WORK) await Promise.race(working);
      }
      await Promise.all(working);
      return accepted;
    } finally {
      await Promise.allSettled(working);
    }
  }

  private async accept(
    keeper: SchemaKeeper,
    chunk: Chunk,
    options: AcceptOptions,
  ): Promise<EnqueuedChunk> {
    return {
      ...(await acceptRecords(this.engine, keeper, chunk, options)),
      recordBytes: chunk.bytes,
    };
  }

  private async enqueue(
    { organization, stream }: UploadRequest,
    keeper: SchemaKeeper,
    options: AcceptOptions,
    accepted: Accepted[],
    unit: RecordUnit,
  ): Promise<UploadResult> {
    for (;;) {
      const results = accepted.map(({ result }) => result);
      const sum = resultOf(stream, results, unit);
      const enqueued = await this.enqueuer.enqueue({ organization, stream, keeper }, results);
      if ('position' in enqueued) return { ...sum, ...enqueued };
      for (const index of enqueued.outdated) {
        const again = accepted[index];
        if (again)
          accepted[index] = {
            chunk: again.chunk,
            result: await this.accept(keeper, again.chunk, options),
          };
      }
    }
  }
}

interface Accepted {
  readonly chunk: Chunk;
  readonly result: EnqueuedChunk;
}

const NOTHING: EnqueuedChunk = {
  schema: undefined,
  accepted: undefined,
  rejected: undefined,
  recordBytes: 0,
};
