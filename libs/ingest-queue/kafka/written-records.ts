import type { Admin } from 'kafkajs';
import type { KafkaLog } from './client/kafka-client.js';
import type { GroupProgress } from './consume/group-progress.js';

interface WrittenRecordsOptions {
  readonly admin: Admin;
  readonly log: KafkaLog;
  readonly topic: string;
  readonly progress: GroupProgress;
}

const PURGE_MS = 60_000;

/**
 * Deletes written records from the topic of batches every minute, because nothing else deletes
 * them.
 */
export class WrittenRecords {
  private readonly purging: NodeJS.Timeout;

  constructor(private readonly options: WrittenRecordsOptions) {
    this.purging = setInterval(() => void this.purge(), PURGE_MS).unref();
  }

  /** Stops deleting. */
  close(): void {
    clearInterval(this.purging);
  }

  private async purge(): Promise<void> {
    const { admin, topic, progress, log } = this.options;
    const partitions = [...progress.committed()]
      .filter(([, offset]) => offset > 0n)
      .map(([partition, offset]) => ({ partition, offset: String(offset) }));
    if (partitions.length === 0) return;
    await admin
      .deleteTopicRecords({ topic, partitions })
      .catch((error: unknown) => log.warn({ err: error }, 'written records cannot be deleted'));
  }
}
