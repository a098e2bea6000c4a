import { createHash, type Hash } from 'node:crypto';
import type { KeptAppend, NamedAppend } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import type { UploadRequest } from './upload-request.js';
import type { UploadResult } from '../outcome/upload-result.js';

const KEY_BYTES_MAX = 255;

type Counts = Omit<UploadResult, 'position'>;

/** Two uploads with the same values are the same upload. */
interface Named extends Pick<UploadRequest, 'organization' | 'stream' | 'body' | 'admitAnswer'> {
  readonly format: { readonly kind: string };
}

/** @returns the header's value. @throws {MillraceError} INVALID_PARAMETER */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && header !== '' && Buffer.byteLength(header) <= KEY_BYTES_MAX)
    return header;
  throw new MillraceError(
    'INVALID_PARAMETER',
    `Idempotency-Key: want one text of 1 to ${KEY_BYTES_MAX} bytes`,
  );
}

/**
 * The size of an answer that is kept for a day: some ten thousand rejected records of a bulk
 * request.
 */
const ANSWER_MAX = 2 * 1024 * 1024;

/**
 * An upload with a key of its organization. The same body under the same key, for the same stream
 * and in the same format, is the same upload.
 */
export class KeyedUpload<Kept extends object = Counts> {
  private named: string;
  private readonly passedOver: KeptAppend[] = [];
  /** Passes the request's body on, and hashes it. */
  readonly body: AsyncIterable<Buffer>;
  private readonly hash: Hash;
  private readonly admitAnswer: Named['admitAnswer'];

  constructor({ organization, stream, format, body, admitAnswer }: Named, key: string) {
    this.admitAnswer = admitAnswer;
    this.named = nameOf([organization.id, key]);
    this.hash = createHash('sha256').update(JSON.stringify([stream, format]));
    this.body = this.seen(body);
  }

  /** The name of the upload's append. */
  get name(): string {
    return this.named;
  }

  /**
   * The name to put on the queue with the batches. It may be called when the body has been read.
   * @param streams ids of those that it stores in
   * @throws {MillraceError} UPLOAD_TOO_LARGE when the answer is larger than what is kept for a day;
   *   TOO_MANY_REQUESTS
   */
  append(result: Kept, streams: Iterable<string>): NamedAppend {
    const kept: StoredAnswer<Kept> = { result, streams: [...new Set(streams)] };
    const answer = JSON.stringify(kept);
    if (answer.length > ANSWER_MAX)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        'too many records of this request are rejected for its answer to be kept under an Idempotency-Key; nothing of it was stored; split it',
      );
    this.admitAnswer?.(answer.length);
    return {
      name: this.name,
      fingerprint: this.hash.copy().digest('base64url'),
      answer,
      renews: this.passedOver,
    };
  }

  streamsOf({ answer }: KeptAppend): readonly string[] {
    return stored<Kept>(answer).streams;
  }

  /**
   * Another append came earlier under this name. A request that comes after both finds it in the
   * same way.
   */
  passOver(kept: KeptAppend): void {
    this.passedOver.push(kept);
    this.named = nameOf([kept.name, ...this.streamsOf(kept)]);
  }

  /**
   * The earlier answer of this upload. It may be called when the body has been read.
   * @throws {MillraceError} CONFLICT when that was another upload.
   */
  answerOf({
    fingerprint,
    answer,
    position,
  }: KeptAppend): Kept & { readonly position: KeptAppend['position'] } {
    if (fingerprint !== this.hash.copy().digest('base64url'))
      throw new MillraceError(
        'CONFLICT',
        'this Idempotency-Key was sent with another upload; use a new one for each upload',
      );
    return { ...stored<Kept>(answer).result, position };
  }

  /** Reads the rest of the body. */
  async read(): Promise<void> {
    for await (const piece of this.body) void piece;
  }

  private async *seen(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of body) {
      // The hash comes first, because framing changes the piece in place.
      this.hash.update(piece);
      yield piece;
    }
  }
}

interface StoredAnswer<Kept> {
  readonly result: Kept;
  /** The ids of the streams. */
  readonly streams: readonly string[];
}

/** A name that an older version has stored has no streams. */
function stored<Kept>(answer: string): StoredAnswer<Kept> {
  const kept = JSON.parse(answer) as StoredAnswer<Kept> | Kept;
  return isStoredAnswer(kept) ? kept : { result: kept, streams: [] };
}

const isStoredAnswer = <Kept>(kept: StoredAnswer<Kept> | Kept): kept is StoredAnswer<Kept> =>
  Object.hasOwn(kept as object, 'streams');

const nameOf = (values: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url');
