import { createHash, type Hash } from 'node:crypto';
import type { KeptAppend, NamedAppend } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import type { UploadRequest } from './upload-request.js';
import type { UploadResult } from './upload-result.js';

const KEY_BYTES_MAX = 255;

type Counts = Omit<UploadResult, 'position'>;

/** What of an upload counts for it being the same. */
interface Named extends Pick<UploadRequest, 'organization' | 'stream' | 'body'> {
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
 * An upload that names itself by a key of its organization: the same body again under the same
 * key, for the same stream and in the same format, is the same upload.
 */
export class KeyedUpload<Kept extends object = Counts> {
  readonly name: string;
  /** The request's body, seen on its way. */
  readonly body: AsyncIterable<Buffer>;
  private readonly hash: Hash;

  constructor({ organization, stream, format, body }: Named, key: string) {
    this.name = createHash('sha256')
      .update(JSON.stringify([organization.id, key]))
      .digest('base64url');
    this.hash = createHash('sha256').update(JSON.stringify([stream, format]));
    this.body = this.seen(body);
  }

  /** When the body has been read: what to put on the queue with its batches. */
  named(result: Kept): NamedAppend {
    return {
      name: this.name,
      fingerprint: this.hash.copy().digest('base64url'),
      answer: JSON.stringify(result),
    };
  }

  /**
   * When the body has been read: the answer that the upload of this name had.
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
    return { ...(JSON.parse(answer) as Kept), position };
  }

  /** Reads what is left of the body. */
  async read(): Promise<void> {
    for await (const piece of this.body) void piece;
  }

  private async *seen(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of body) {
      // Before it is handed on: framing works in place.
      this.hash.update(piece);
      yield piece;
    }
  }
}
