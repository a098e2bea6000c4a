import { Injectable } from '@nestjs/common';
import { IngestQueue, type KeptAppend } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import { StreamsProjection } from '@app/streams';
import { WriteProgress } from '@app/writer';
import type { KeyedUpload } from './idempotency-key.js';

/** Finds earlier uploads with the same key. */
@Injectable()
export class KeptUploads {
  constructor(
    private readonly queue: IngestQueue,
    private readonly streams: StreamsProjection,
    private readonly progress: WriteProgress,
  ) {}

  /**
   * The earlier upload with this key, if there was one. A key belongs to the streams in which it
   * stored records. If these were deleted, the key is free, and the upload continues under another
   * name.
   * @throws {MillraceError} CONFLICT when some of them were deleted, and others still have their
   *   records; INTERNAL when its rows are lost since
   */
  async before<Kept extends object>(keyed: KeyedUpload<Kept>): Promise<KeptAppend | undefined> {
    for (;;) {
      const kept = await this.queue.appended(keyed.name);
      if (!kept) return undefined;
      const streams = keyed.streamsOf(kept);
      const deleted = streams.filter((id) => this.streams.isDeleted(id));
      if (deleted.length === 0) {
        if (kept.position) await this.progress.refuseLost(kept.position);
        return kept;
      }
      if (deleted.length < streams.length)
        throw new MillraceError(
          'CONFLICT',
          'a stream that the upload of this Idempotency-Key went to was deleted since, others have their part; send what is missing with a new key',
        );
      keyed.passOver(kept);
    }
  }
}
