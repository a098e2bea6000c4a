import type { IngestQueue } from '@app/ingest-queue';

/**
 * Makes names for a retry's appends: the stream with increasing numbers. Two retries at the same
 * time ask for the same name, so one of them is refused. Asking costs a broker a record, so a name
 * that was found in use is not asked for again.
 */
export class RetryNames {
  private number = 0;

  constructor(
    private readonly queue: Pick<IngestQueue, 'appended'>,
    private readonly streamId: string,
  ) {}

  async next(): Promise<string> {
    for (; ; this.number += 1) {
      const name = `retry-${this.streamId}-${this.number}`;
      if (!(await this.queue.appended(name))) return name;
    }
  }
}
