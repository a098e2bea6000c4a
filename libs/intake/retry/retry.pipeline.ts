import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { IngestQueue } from '@app/ingest-queue';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { StreamsProjection } from '@app/streams';
import {
  acceptRecords,
  FairJudge,
  type RejectedRecords as Rejected,
  type Rejection,
} from '@app/acceptance';
import { type RejectedRemoval, WriteProgress } from '@app/writer';
import { endsOf, type EnqueuedChunk } from '../store/enqueue-batches.js';
import { SchemaLock } from '../store/schema-lock.js';
import { Spool } from '../spool/spool.js';
import { PartsStore } from '../store/store-parts.js';
import { StreamSchemas, type Uploader } from '../store/stream-schemas.js';
import type { UploadResult } from '../upload/outcome/upload-result.js';
import {
  byBatch,
  RejectedRecords,
  type RejectedOf,
  type RejectedPlace,
} from './rejected-records.js';
import { RetryNames } from './retry-names.js';

interface RetryRequest {
  readonly organization: RequestOrganization;
  readonly stream: string;
  /** Undefined: what is rejected of all uploads. */
  readonly uploadId: string | undefined;
  readonly uploader: Uploader;
}

/** Up to which record it came, and what became of them. */
interface Step extends Omit<UploadResult, 'stream'> {
  readonly last: RejectedPlace;
}

/**
 * The way of rejected records that are tried again: read → accept → enqueue → answer.
 *
 * What fits now is put on the queue in one append with the removal of its rows from `_rejected`:
 * a crash leaves both to be done or neither. The writer removes what a batch before brought, so
 * nothing is read here before all that was appended earlier is written; and each append has the
 * next number of its stream as its name, so that of two retries that have read the same records,
 * at whatever node, one is refused and reads again.
 */
@Injectable()
export class RetryPipeline {
  constructor(
    private readonly judge: FairJudge,
    private readonly store: PartsStore,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly queue: IngestQueue,
    private readonly progress: WriteProgress,
    private readonly rejected: RejectedRecords,
    private readonly streams: StreamsProjection,
    private readonly gate: SchemaLock,
  ) {}

  /** @returns `successful`: moved; `failed`: still rejected. @throws {MillraceError} with what was moved before in its place. */
  retry(request: RetryRequest): Promise<UploadResult> {
    const { organization, stream } = request;
    const streamId = this.streams.find(organization.id, stream)?.id;
    if (streamId === undefined)
      throw new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: stream });
    const of = { database: organization.database, streamId, uploadId: request.uploadId };
    return this.gate.alone(JSON.stringify(['retry', streamId]), () => this.retryAll(request, of));
  }

  private async retryAll(request: RetryRequest, of: RejectedOf): Promise<UploadResult> {
    let sum: UploadResult = {
      stream: request.stream,
      successful: 0,
      failed: 0,
      error: undefined,
      position: undefined,
    };
    const names = new RetryNames(this.queue, of.streamId);
    const next = (before?: Step): Promise<Step | undefined> =>
      this.next(request, of, names, before);
    for (let step = await next(); step; step = await next(step)) {
      sum = {
        ...sum,
        successful: sum.successful + step.successful,
        failed: sum.failed + step.failed,
        error: sum.error ?? step.error,
        ...(step.position ? { position: step.position, first: step.first } : {}),
      };
    }
    return sum;
  }

  /** @returns undefined when there are no more. */
  private async next(
    request: RetryRequest,
    of: RejectedOf,
    names: RetryNames,
    before?: Step,
  ): Promise<Step | undefined> {
    for (;;) {
      const name = await names.next();
      await this.awaitAllBefore(request, of);
      const places = await this.rejected.after(of, before?.last);
      const last = places.at(-1);
      if (!last) return undefined;
      const step = await this.move(request, of, places, name);
      if (step) return { ...step, last };
    }
  }

  /** @returns undefined when another retry came first. */
  private move(
    { organization, stream, uploader }: RetryRequest,
    of: RejectedOf,
    places: readonly RejectedPlace[],
    name: string,
  ): Promise<Omit<Step, 'last'> | undefined> {
    const uploadId = ulid();
    return this.spool.use(uploadId, organization.share, async (directory) => {
      const keeper = this.schemas.keeper(organization, stream, uploader);
      if (keeper.current()?.id !== of.streamId)
        throw new MillraceError('CONFLICT', `stream ${stream} was deleted meanwhile`);
      const file = join(directory, '0.ndjson');
      await this.rejected.write(of, places, file);
      const chunk = { file, firstLine: 1, bytes: (await stat(file)).size };
      const judge = this.judge.for(organization.share, uploadId, chunk.bytes);
      const options = { uploadId, stream, acceptedAt: Date.now() * 1000 };
      let moved: readonly RejectedPlace[] = [];
      let stayed: Rejected | undefined;
      const accept = async (): Promise<EnqueuedChunk> => {
        const { rejected, ...fitting } = await acceptRecords(judge, keeper, chunk, options);
        const lines = new Set(rejected?.rejections?.lines ?? []);
        moved = places.filter((_, index) => !lines.has(index + 1));
        stayed = rejected;
        if (moved.length !== (fitting.accepted?.rows ?? 0))
          throw new Error(`${moved.length} records fit, ${fitting.accepted?.rows ?? 0} were taken`);
        return { ...fitting, rejected: undefined, recordBytes: chunk.bytes };
      };
      const part = {
        to: { organization, stream, keeper },
        accepted: [{ accept, result: await accept() }],
        removal: () => ({ ...removalOf(of), rows: byBatch(moved) }),
      };
      const once = { name, fingerprint: '', answer: '' };
      const nothing = moved.length === 0;
      const stored = nothing ? { positions: [] } : await this.store.store([part], () => once);
      if ('before' in stored) return undefined;
      const error = stayed && (await this.whyStayed(of, places, stayed.first));
      const failed = places.length - moved.length;
      return { successful: moved.length, failed, error, ...endsOf(stored) };
    });
  }

  private async whyStayed(
    of: RejectedOf,
    places: readonly RejectedPlace[],
    { line, reason }: Rejection,
  ): Promise<string | undefined> {
    const first = places[line - 1];
    return first && `${await this.rejected.originOf(of, first)}: ${reason}`;
  }

  /** Until removals of earlier retries are done: what they have moved must not be read again. */
  private async awaitAllBefore(
    { organization, stream, uploader }: RetryRequest,
    of: RejectedOf,
  ): Promise<void> {
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const to = { organization, stream, keeper };
    const removal = (): RejectedRemoval => ({ ...removalOf(of), rows: [] });
    const stored = await this.store.store([{ to, accepted: [], removal }]);
    const position = 'positions' in stored ? stored.positions.at(-1) : undefined;
    if (position) await this.progress.awaitWritten(position);
  }
}

const removalOf = ({ database, streamId }: RejectedOf): Omit<RejectedRemoval, 'rows'> => ({
  database,
  streamId,
});
