import { Injectable } from '@nestjs/common';
import { IngestQueue, type QueuePosition } from '@app/ingest-queue';

/** For uploads that wait until their rows can be queried: a batch is committed when it is in the warehouse. */
@Injectable()
export class WriteProgress {
  private waiting = 0;

  constructor(private readonly queue: IngestQueue) {}

  /** Resolves when the batch at `position` is in the warehouse. */
  awaitWritten(position: QueuePosition): Promise<void> {
    return this.counted(this.queue.awaitCommitted(position));
  }

  /** Resolves when all that is on the queue now is in the warehouse. */
  allWritten(): Promise<void> {
    return this.counted(this.queue.awaitAllCommitted());
  }

  /** Whether somebody in this process waits for a batch. */
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
