import { Injectable } from '@nestjs/common';
import { IngestQueue, type QueuePosition } from '@app/ingest-queue';

interface Waiter {
  readonly position: QueuePosition;
  resolve(): void;
}

/** How far the writer of this process has come: for uploads that wait until their rows can be queried. */
@Injectable()
export class WriteProgress {
  private readonly written = new Map<number, bigint>();
  private waiters: Waiter[] = [];
  private emptied: (() => void)[] = [];

  constructor(private readonly queue: IngestQueue) {}

  /** Everything of the partition up to `offset` is in the warehouse. */
  advance(partition: number, offset: bigint): void {
    this.written.set(partition, offset);
    const done = this.waiters.filter((waiter) => this.has(waiter.position));
    this.waiters = this.waiters.filter((waiter) => !this.has(waiter.position));
    for (const waiter of done) waiter.resolve();
    if (this.queue.depth().records === 0) for (const resolve of this.emptied.splice(0)) resolve();
  }

  /** Resolves when the batch at `position` is in the warehouse. */
  awaitWritten(position: QueuePosition): Promise<void> {
    // What a process before this one has written is known by nothing waiting any more.
    if (this.has(position) || this.queue.depth().records === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ position, resolve }));
  }

  /** Resolves when nothing waits to be written. */
  allWritten(): Promise<void> {
    if (this.queue.depth().records === 0) return Promise.resolve();
    return new Promise((resolve) => this.emptied.push(resolve));
  }

  /** Whether an upload waits for its rows. */
  get isAwaited(): boolean {
    return this.waiters.length + this.emptied.length > 0;
  }

  private has({ partition, offset }: QueuePosition): boolean {
    return (this.written.get(partition) ?? -1n) >= offset;
  }
}
