import { Inject, Injectable } from '@nestjs/common';
import { MillraceError, type UploadLimits } from '@app/platform';
import { UPLOAD_LIMITS } from './upload-limits.js';

/** What may come at once, as the time in which it would come evenly. */
const BURST_MS = 1000;
/** Entries that are looked through for old ones. */
const KEPT_MAX = 10_000;

/**
 * How much each key may use a second. What was used moves the key's clock on; whoever is more
 * than a burst ahead of the time has to wait. So one large piece may pass, and is paid for after.
 */
export class Rate {
  private readonly clocks = new Map<string, number>();

  constructor(
    /** 0: no bound. */
    private readonly perSecond: number,
    private readonly now: () => number,
  ) {}

  /** Milliseconds until so much may be used; 0 when at once. */
  wait(key: string, amount: number): number {
    if (this.perSecond === 0) return 0;
    const now = this.now();
    const ahead = Math.max(0, (this.clocks.get(key) ?? 0) - now);
    // What is more than a burst by itself waits until there is nothing to pay for.
    const most = Math.max(0, BURST_MS - this.costOf(amount));
    return Math.max(0, ahead - most);
  }

  use(key: string, amount: number): void {
    if (this.perSecond === 0) return;
    const now = this.now();
    if (this.clocks.size > KEPT_MAX)
      for (const [old, clock] of this.clocks) if (clock <= now) this.clocks.delete(old);
    this.clocks.set(key, Math.max(this.clocks.get(key) ?? 0, now) + this.costOf(amount));
  }

  private costOf(amount: number): number {
    return (amount * 1000) / this.perSecond;
  }
}

/** Bounds what an organization uploads, as the configuration has it; each node counts for itself. */
@Injectable()
export class UploadRates {
  private readonly requests: Rate;
  private readonly bytes: Rate;

  constructor(@Inject(UPLOAD_LIMITS) limits: UploadLimits) {
    const now = (): number => performance.now();
    this.requests = new Rate(limits.requestsPerSecond, now);
    this.bytes = new Rate(limits.bytesPerSecond, now);
  }

  /** @throws {MillraceError} TOO_MANY_REQUESTS with the seconds to wait; what is refused counts for nothing. */
  admit(organizationId: string): void {
    const wait = Math.max(
      this.requests.wait(organizationId, 1),
      this.bytes.wait(organizationId, 1),
    );
    if (wait > 0)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        'this organization uploads more than it may; wait and send it again',
        { retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)) },
      );
    this.requests.use(organizationId, 1);
  }

  /** The body, its decoded bytes counted: an upload that was admitted is let in whole. */
  async *counted(organizationId: string, body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of body) {
      this.bytes.use(organizationId, piece.length);
      yield piece;
    }
  }
}
