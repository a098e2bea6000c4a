import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { IngestQueue } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import { streamNameProblem } from '@app/streams';
import { acceptRecords, type AcceptOptions, type SchemaKeeper } from '../accept/accept-records.js';
import type { Chunk } from '../accept/chunk.js';
import { BEYOND_HEADER, csvToRecords, type CsvShape } from '../accept/csv-records.js';
import { FairEngine } from '../accept/fair-engine.js';
import { BatchEnqueuer, type EnqueuedChunk } from './enqueue-batches.js';
import { frameCsv } from './frame-csv.js';
import { frameRecords, type RecordUnit } from './frame-records.js';
import { GroupedUploads } from './grouped-uploads.js';
import { KeyedUpload } from './idempotency-key.js';
import { readSmall } from './read-small.js';
import { ReceivingTurns } from './receiving-turns.js';
import { SchemaGate } from './schema-gate.js';
import { Spool } from './spool.js';
import { spoolChunks } from './spool-chunks.js';
import { StreamSchemas } from './stream-schemas.js';
import type { UploadRequest } from './upload-request.js';
import { resultOf, type UploadResult } from './upload-result.js';

/**
 * Sized so that the engine parses one in a fraction of a second on one core, and that a handful
 * of them in work stay far below 256 MiB.
 */
const CHUNK_BYTES = 16 * 1024 * 1024;
/** Chunks in acceptance or waiting for it; a client that sends faster is slowed down. */
const CHUNKS_IN_WORK = 4;
/** With so much waiting for the engine an upload gets no further than one chunk: the disk is not for queueing. */
const CROWDED = 8;

/**
 * The way of an upload: spool → accept → enqueue → answer. What is answered is on disk in the
 * queue, all of it; an upload that fails anywhere leaves nothing. Small bodies take the same way
 * in groups.
 */
@Injectable()
export class UploadPipeline {
  constructor(
    private readonly engine: FairEngine,
    private readonly enqueuer: BatchEnqueuer,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly groups: GroupedUploads,
    private readonly queue: IngestQueue,
    private readonly turns: ReceivingTurns,
    private readonly gate: SchemaGate,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  async upload(request: UploadRequest): Promise<UploadResult> {
    const problem = streamNameProblem(request.stream);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    const { format, idempotencyKey } = request;
    const keyed =
      idempotencyKey === undefined ? undefined : new KeyedUpload(request, idempotencyKey);
    const before = keyed && (await this.queue.appended(keyed.name));
    if (keyed && before) {
      await keyed.read();
      return keyed.answerOf(before);
    }
    const body = this.turns.pass(request.organization.id, keyed?.body ?? request.body);
    if (format.kind === 'csv') {
      const { lines, ...csv } = await frameCsv(body, format.delimiter);
      return this.uploadSpooled(request, { lines, unit: 'record', csv, keyed });
    }
    const { lines, unit } = await frameRecords(body);
    if (keyed) return this.uploadSpooled(request, { lines, unit, keyed });
    const small = await readSmall(lines);
    if (small.whole) return this.groups.upload(request, small.bytes, unit);
    return this.uploadSpooled(request, { lines: small.lines, unit });
  }

  private uploadSpooled(
    request: UploadRequest,
    { lines, unit, csv, keyed }: Framed,
  ): Promise<UploadResult> {
    const { organization, stream, uploader, maxRecordBytes } = request;
    const uploadId = ulid();
    const schemas = this.schemas.keeper(organization, stream, uploader);
    const keeper = csv ? explainingBeyondHeader(schemas) : schemas;
    const acceptedAt = Date.now() * 1000;
    const options = { organizationId: organization.id, uploadId, stream, acceptedAt, csv };
    return this.spool.use(uploadId, async (directory) => {
      const chunks = spoolChunks(lines, { directory, chunkBytes: CHUNK_BYTES, maxRecordBytes });
      const accepted = await this.acceptAll(keeper, chunks, options);
      return this.enqueue(request, keeper, options, { accepted, unit, keyed });
    });
  }

  /** Accepts chunks while the next ones arrive. The first goes alone: it may have to make the stream. */
  private async acceptAll(
    keeper: SchemaKeeper,
    chunks: AsyncIterable<Chunk>,
    options: UploadOptions,
  ): Promise<Accepted[]> {
    const working = new Set<Promise<void>>();
    const accepted: Accepted[] = [];
    try {
      for await (const chunk of chunks) {
        const index = accepted.push({ chunk, result: NOTHING }) - 1;
        const accept = async (): Promise<void> => {
          const records = await this.asRecords(keeper, chunk, options);
          const result = await this.accept(keeper, records, options);
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

  /** Of many uploads that come to a stream that is new, one surveys it and makes it; the others wait for that. */
  private firstAlone(
    keeper: SchemaKeeper,
    { organizationId, stream }: UploadOptions,
    work: () => Promise<void>,
  ): Promise<void> {
    if (keeper.current()) return work();
    return this.gate.alone(JSON.stringify(['first', organizationId, stream]), work);
  }

  private async asRecords(
    keeper: SchemaKeeper,
    chunk: Chunk,
    { csv, organizationId, uploadId }: UploadOptions,
  ): Promise<Chunk> {
    if (!csv) return chunk;
    const engine = this.engine.for(organizationId, uploadId, chunk.bytes);
    return csvToRecords(engine, chunk, csv, keeper.current()?.columns ?? []);
  }

  private async accept(
    keeper: SchemaKeeper,
    chunk: Chunk,
    options: UploadOptions,
  ): Promise<EnqueuedChunk> {
    const engine = this.engine.for(options.organizationId, options.uploadId, chunk.bytes);
    const accepted = await acceptRecords(engine, keeper, chunk, options);
    return { ...accepted, recordBytes: chunk.bytes };
  }

  private async enqueue(
    { organization, stream }: UploadRequest,
    keeper: SchemaKeeper,
    options: UploadOptions,
    {
      accepted,
      unit,
      keyed,
    }: { accepted: Accepted[]; unit: RecordUnit; keyed: KeyedUpload | undefined },
  ): Promise<UploadResult> {
    for (;;) {
      const results = accepted.map(({ result }) => result);
      const sum = resultOf(stream, results, unit);
      const to = { organization, stream, keeper };
      const enqueued = await this.enqueuer.enqueue(to, results, keyed?.named(sum));
      if (keyed && 'before' in enqueued) return keyed.answerOf(enqueued.before);
      if ('position' in enqueued) return { ...sum, ...enqueued };
      if (!('outdated' in enqueued)) continue;
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

interface Framed {
  /** One record a line. */
  readonly lines: AsyncIterable<Buffer>;
  readonly unit: RecordUnit;
  readonly csv?: CsvShape;
  readonly keyed?: KeyedUpload | undefined;
}

interface UploadOptions extends AcceptOptions {
  readonly organizationId: string;
  readonly csv: CsvShape | undefined;
}

/** What a record has beyond the header is a field that no stream can take; the reason says why. */
function explainingBeyondHeader(keeper: SchemaKeeper): SchemaKeeper {
  return {
    current: () => keeper.current(),
    evolve: async (survey) => {
      const { schema, refusedFields } = await keeper.evolve(survey);
      const reason = 'is beyond the fields that the header names';
      return { schema, refusedFields: new Map([...refusedFields, [BEYOND_HEADER, reason]]) };
    },
  };
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
