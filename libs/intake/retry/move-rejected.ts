import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { MillraceError, ulid } from '@app/platform';
import {
  acceptRecords,
  FairJudge,
  type RejectedRecords as Rejected,
  type Rejection,
} from '@app/acceptance';
import { endsOf, type EnqueuedChunk } from '../store/enqueue-batches.js';
import { Spool } from '../spool/spool.js';
import { AcceptedStore } from '../store/store-accepted.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import type { UploadResult } from '../upload/outcome/upload-result.js';
import {
  byBatch,
  RejectedRecords,
  type RejectedOf,
  type RejectedPlace,
} from './rejected-records.js';
import { removalOf, type RetryRequest } from './retry-request.js';

/** Judges rejected records once more, and moves those that fit now to their table in one append. */
@Injectable()
export class RejectedMover {
  constructor(
    private readonly judge: FairJudge,
    private readonly store: AcceptedStore,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
    private readonly rejected: RejectedRecords,
  ) {}

  /** @returns undefined when another retry came first. */
  move(
    { organization, stream, uploader }: RetryRequest,
    of: RejectedOf,
    places: readonly RejectedPlace[],
    name: string,
  ): Promise<Omit<UploadResult, 'stream'> | undefined> {
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
      const accepted = {
        to: { organization, stream, keeper },
        accepted: [{ accept, result: await accept() }],
        removal: () => ({ ...removalOf(of), rows: byBatch(moved) }),
      };
      const once = { name, fingerprint: '', answer: '' };
      const nothing = moved.length === 0;
      const stored = nothing ? { positions: [] } : await this.store.store([accepted], () => once);
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
}
