import { Injectable } from '@nestjs/common';
import { KeyedMutex } from '@app/flow';
import { MillraceError } from '@app/platform';
import { StreamsProjection } from '@app/streams';
import type { UploadResult } from '../upload/outcome/upload-result.js';
import { RejectedMover } from './move-rejected.js';
import { RejectedRecords, type RejectedOf, type RejectedPlace } from './rejected-records.js';
import type { RetryNames } from './retry-names.js';
import { RetryOrder } from './retry-order.js';
import type { RetryRequest } from './retry-request.js';

/** The result of one step: the last record that was tried, and the outcome. */
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
  /** Retries of one stream come one after the other. */
  private readonly retrying = new KeyedMutex();

  constructor(
    private readonly streams: StreamsProjection,
    private readonly order: RetryOrder,
    private readonly rejected: RejectedRecords,
    private readonly mover: RejectedMover,
  ) {}

  /**
   * @returns `successful`: moved; `failed`: still rejected.
   * @throws {MillraceError} with the number of records that were moved before, if there are any.
   */
  retry(request: RetryRequest): Promise<UploadResult> {
    const { organization, stream } = request;
    const streamId = this.streams.find(organization.id, stream)?.id;
    if (streamId === undefined)
      throw new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: stream });
    const of = { database: organization.database, streamId, uploadId: request.uploadId };
    return this.retrying.run(streamId, () => this.retryAll(request, of));
  }

  private async retryAll(request: RetryRequest, of: RejectedOf): Promise<UploadResult> {
    let sum: UploadResult = {
      stream: request.stream,
      successful: 0,
      failed: 0,
      error: undefined,
      position: undefined,
    };
    const names = this.order.names(of);
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
      await this.order.awaitAllBefore(request, of);
      const places = await this.rejected.after(of, before?.last);
      const last = places.at(-1);
      if (!last) return undefined;
      const step = await this.mover.move(request, of, places, name);
      if (step) return { ...step, last };
    }
  }
}
