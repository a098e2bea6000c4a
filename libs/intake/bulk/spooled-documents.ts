import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type ErrorKind, MillraceError, ulid } from '@app/platform';
import { type Rejection, rejectionsOf } from '@app/acceptance';
import { CHUNK_BYTES, ChunkAcceptance, type ChunkOptions } from '../upload/accept-chunks.js';
import { ConcurrentAcceptance } from '../store/concurrent-acceptance.js';
import { streamsOf } from '../store/enqueue-batches.js';
import type { KeyedUpload } from '../upload/request/idempotency-key.js';
import { Spool } from '../spool/spool.js';
import { spoolChunks } from '../spool/spool-chunks.js';
import { AcceptedStore, type AcceptedStream } from '../store/store-accepted.js';
import { StreamSchemas } from '../store/stream-schemas.js';
import type { BulkError } from './bulk-action.js';
import type { StreamBytes } from './bulk-framer.js';
import type { Rejections } from './bulk-items.js';
import type { BulkRequest, BulkResult } from './bulk-request.js';
import { StreamChannels } from './stream-channels.js';

export type Pieces<T> = AsyncIterable<T> | Iterable<T>;
export type KeyedBulk = KeyedUpload<KeptRejections>;
type Outcome = Omit<BulkResult, 'items'>;

/** Accepts the documents of several streams at the same time, by way of the spool, and stores all of them in one append. */
@Injectable()
export class SpooledDocuments {
  constructor(
    private readonly chunks: ChunkAcceptance,
    private readonly acceptance: ConcurrentAcceptance,
    private readonly store: AcceptedStore,
    private readonly schemas: StreamSchemas,
    private readonly spool: Spool,
  ) {}

  /** @throws {MillraceError} with nothing stored. */
  upload(
    request: BulkRequest,
    body: Pieces<StreamBytes>,
    keyed: KeyedBulk | undefined,
  ): Promise<Outcome> {
    const uploadId = ulid();
    return this.spool.use(uploadId, request.organization.share, async (directory) => {
      const acceptedAt = Date.now() * 1000;
      let made = 0;
      const channels = new StreamChannels<StreamDocuments>(async (stream, lines) => {
        made += 1;
        const folder = join(directory, String(made));
        await mkdir(folder);
        const options = { share: request.organization.share, uploadId, stream, acceptedAt };
        return this.acceptStream(request, options, folder, lines);
      });
      const streams = await demultiplexed(body, channels);
      return this.storeAll(streams, keyed);
    });
  }

  private async acceptStream(
    { organization, uploader, maxRecordBytes }: BulkRequest,
    options: ChunkOptions,
    directory: string,
    lines: AsyncIterable<Buffer>,
  ): Promise<StreamDocuments> {
    const { stream } = options;
    const keeper = this.schemas.keeper(organization, stream, uploader);
    const to = { organization, stream, keeper };
    const counted = this.spool.counted(options.uploadId, lines, ({ length }) => length);
    const chunks = spoolChunks(counted, { directory, chunkBytes: CHUNK_BYTES, maxRecordBytes });
    const accepting = this.chunks.each(keeper, chunks, options);
    const of = { keeper, organizationId: organization.id, stream };
    try {
      this.schemas.checkRoom(organization, stream, uploader);
      return { to, accepted: await this.acceptance.all(of, accepting) };
    } catch (error) {
      const refused = refusalOf(error);
      // Documents of the other streams may follow it.
      for await (const piece of lines) void piece;
      return { to, accepted: [], refused };
    }
  }

  private async storeAll(
    streams: readonly StreamDocuments[],
    keyed: KeyedBulk | undefined,
  ): Promise<Outcome> {
    const refused = new Map(
      streams.flatMap((each) => (each.refused ? [[each.to.stream, each.refused] as const] : [])),
    );
    let rejections: Rejections = new Map();
    const kept = streams.filter((each) => !each.refused);
    // A key keeps what was stored from being stored twice. A refusal of everything is no reason to
    // refuse the same once there is room for it.
    if (kept.length === 0 && refused.size > 0)
      return { rejections: new Map(), refused, positions: [] };
    const stored = await this.store.store(kept, () => {
      rejections = rejectionsByStream(streams);
      const chunks = streams.flatMap(({ accepted }) => accepted.map(({ result }) => result));
      const answer = { rejections: [...rejections], refused: [...refused] };
      return keyed?.append(answer, streamsOf(chunks));
    });
    if (!('before' in stored)) return { rejections, refused, positions: stored.positions };
    if (keyed) return keptResult(keyed.answerOf(stored.before));
    throw new Error('only a request with a key can have come before');
  }
}

interface StreamDocuments extends AcceptedStream {
  /** The reason why no document of a stream is stored, while the rest of the request is. */
  readonly refused?: BulkError;
}

/** The rejections that are stored under a key. The items are made again from the body. */
export interface KeptRejections {
  readonly rejections: readonly (readonly [string, readonly Rejection[]])[];
  /** Older versions have stored none. */
  readonly refused?: readonly (readonly [string, BulkError])[];
}

export const keptResult = ({ rejections, refused = [] }: KeptRejections): Outcome => ({
  rejections: new Map(rejections),
  refused: new Map(refused),
  positions: undefined,
});

const REFUSALS: Readonly<Partial<Record<ErrorKind, string>>> = {
  LIMIT_REACHED: 'validation_exception',
  FORBIDDEN: 'security_exception',
};

/**
 * The refusal of a stream that exceeds the number of streams, or that the caller may not write; the
 * request's other streams are stored.
 * @throws any other failure, as it is
 */
export function refusalOf(error: unknown): BulkError {
  const type = error instanceof MillraceError ? REFUSALS[error.kind] : undefined;
  if (!(error instanceof MillraceError) || type === undefined) throw error;
  return { type, reason: error.message, status: error.status };
}

function rejectionsByStream(streams: readonly StreamDocuments[]): Rejections {
  const all = new Map<string, Rejection[]>();
  for (const { to, accepted } of streams) {
    for (const { result } of accepted) {
      if (!result.rejected) continue;
      const ofChunk = rejectionsOf(result.rejected);
      all.set(to.stream, [...(all.get(to.stream) ?? []), ...ofChunk]);
    }
  }
  return all;
}

async function demultiplexed(
  body: Pieces<StreamBytes>,
  channels: StreamChannels<StreamDocuments>,
): Promise<StreamDocuments[]> {
  try {
    for await (const piece of body)
      for (const [stream, bytes] of piece) await channels.put(stream, bytes);
    return await channels.end();
  } catch (error) {
    await channels.fail(error as Error);
    throw error;
  }
}
