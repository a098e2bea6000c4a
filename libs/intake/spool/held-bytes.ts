import { KeyedCounter } from '@app/flow';
import { whyNoRoom } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';

const RETRY_AFTER_SECONDS = 1;

/**
 * Memory for bodies that wait for their turn. It is shared by the queue's rule, so that no
 * organization gets all of it.
 */
export class HeldBytes {
  private readonly held = new KeyedCounter();

  constructor(private readonly maxBytes: number) {}

  /** Runs work that holds so many bytes. @throws {MillraceError} QUEUE_FULL when there is no room for them */
  async during<T>(owner: string, bytes: number, work: () => Promise<T>): Promise<T> {
    this.take(owner, bytes);
    try {
      return await work();
    } finally {
      this.giveBack(owner, bytes);
    }
  }

  /**
   * Counts bytes as held. The caller must give them back in any case.
   * @throws {MillraceError} QUEUE_FULL
   */
  take(owner: string, bytes: number): void {
    const { maxBytes } = this;
    const room = { maxBytes, waiting: this.held.total, own: this.held.of(owner), bytes };
    if (whyNoRoom(room) !== undefined)
      throw new MillraceError(
        'QUEUE_FULL',
        'too many uploads wait in memory for their turn; nothing of this one was stored; send fewer at a time, and small ones with more records in each',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    this.held.add(owner, bytes);
  }

  giveBack(owner: string, bytes: number): void {
    this.held.add(owner, -bytes);
  }
}
