import { Inject, Injectable } from '@nestjs/common';
import { RateLimiter } from '@app/flow';
import { MillraceError } from '@app/platform';
import { type UploadLimits, UPLOAD_LIMITS } from '../../upload.settings.js';

/** The rate of uploads with a key. It is limited because the keys are stored. */
const KEYED = { perSecond: 20, burst: 20_000 };
/** An answer of so many bytes that is kept with its key counts like one more key. */
const KEPT_BYTES = 1024;

/** Limits the uploads of an organization by the configuration. Each node counts for itself. */
@Injectable()
export class UploadRates {
  private readonly requests: RateLimiter;
  private readonly bytes: RateLimiter;
  private readonly keyed = new RateLimiter(KEYED);

  constructor(@Inject(UPLOAD_LIMITS) limits: UploadLimits) {
    this.requests = new RateLimiter({ perSecond: limits.requestsPerSecond });
    this.bytes = new RateLimiter({ perSecond: limits.bytesPerSecond });
  }

  /**
   * @throws {MillraceError} TOO_MANY_REQUESTS with the seconds to wait; a refused request does not
   *   count.
   */
  admit(share: string): void {
    const wait = Math.max(this.requests.wait(share, 1), this.bytes.wait(share, 1));
    if (wait > 0)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        'this organization uploads more than it may; wait and send it again',
        { retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)) },
      );
    this.requests.use(share, 1);
  }

  /** The name of an upload is kept for a day. @throws {MillraceError} TOO_MANY_REQUESTS */
  admitKeyed(share: string): void {
    this.takeKeyed(share, 1);
  }

  /**
   * So is its answer, which may list many rejected records. Must be called before anything is
   * stored.
   * @throws {MillraceError} TOO_MANY_REQUESTS
   */
  admitAnswer(share: string, bytes: number): void {
    const keys = Math.floor(bytes / KEPT_BYTES);
    if (keys > 0) this.takeKeyed(share, keys);
  }

  private takeKeyed(share: string, keys: number): void {
    const wait = this.keyed.take(share, keys);
    if (wait > 0)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        'this organization sends more uploads with an Idempotency-Key than it may, or too many of their records are rejected; nothing of this one was stored; put more records into each, or wait and send it again',
        { retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)) },
      );
  }

  /**
   * Counts the decoded bytes of the body. An admitted upload is read to its end, even beyond the
   * limit.
   */
  async *counted(share: string, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of body) {
      this.bytes.use(share, piece.length);
      yield piece;
    }
  }
}
