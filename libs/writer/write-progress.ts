import { Injectable } from '@nestjs/common';
import { IngestQueue, type QueuePosition } from '@app/ingest-queue';
import { MillraceError } from '@app/platform';
import { DeadLetter } from './dead-letter.js';

/** Lets uploads wait until their rows can be queried: a batch is committed when it is in the warehouse. */
@Injectable()
export class WriteProgress {
  private waiting = 0;

  constructor(
    private readonly queue: IngestQueue,
    private readonly deadLetter: DeadLetter,
  ) {}

  /**
   * Resolves when the batch at `position` is in the warehouse, and those of the same append since
   * the one at `first`.
   * @throws {MillraceError} SET_ASIDE when one of them was set aside, INTERNAL when its rows are
   *   lost
   */
  async awaitWritten(position: QueuePosition, first = position): Promise<void> {
    await this.counted(this.queue.awaitCommitted(position));
    const isAside =
      this.queue.wasSetAside(position, first.offset) ||
      this.deadLetter.holds(position, first.offset);
    await this.refuseLost(position, first);
    if (isAside) throw setAside();
  }

  /**
   * Refuses an upload to be taken for stored whose rows are not.
   * @throws {MillraceError} INTERNAL
   */
  async refuseLost(position: QueuePosition, first = position): Promise<void> {
    if (await this.deadLetter.holdsLost(position, first.offset)) throw lost();
  }

  /** Resolves when all that is on the queue now is in the warehouse. */
  allWritten(): Promise<void> {
    return this.counted(this.queue.awaitAllCommitted());
  }

  /** Tells whether a request in this process waits for a batch. */
  get isAwaited(): boolean {
    return this.waiting > 0;
  }

  private async counted(written: Promise<void>): Promise<void> {
    this.waiting += 1;
    try {
      await written;
    } finally {
      this.waiting -= 1;
    }
  }
}

const lost = (): MillraceError =>
  new MillraceError(
    'INTERNAL',
    "rows of this upload are lost: somebody took a file of it out of the queue's folder before it was in its table; the server's log names it; what was not in that file is stored; send what is missing again, with a new Idempotency-Key",
  );

const setAside = (): MillraceError =>
  new MillraceError(
    'SET_ASIDE',
    'the upload is stored, but its table did not take all of it: that is kept, and cannot be queried until an operator puts it back; do not send it again',
  );
