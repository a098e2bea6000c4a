import type { IngestQueue } from '@app/ingest-queue';

/**
 * Names of a retry's appends: of its stream, with the numbers that no append has had. Of two
 * retries that ask at the same time both get the same, by which one of them is refused. To ask
 * costs a broker a record, so what was found taken is not asked again.
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
