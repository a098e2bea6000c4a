import { once } from 'node:events';
import { OperatorError } from '@app/platform';
import type { IngestQueue } from '@app/ingest-queue';
import type { TableBackups } from '@app/warehouse';
import { backupName } from './backup-name.js';
import type { BackupStep, BackupWish, Working } from './back-up.pipeline.js';

interface SharedStores {
  readonly tables: TableBackups;
  readonly queue: Pick<IngestQueue, 'awaitAllCommitted'>;
  lastPosition(): Promise<bigint | undefined>;
}

interface ClusterBackupDone {
  readonly name: string;
  /**
   * The position of the last event before the tables were copied. A copy of the event store that is
   * made now contains this event.
   */
  readonly position: string;
}

/** Stands for a backup's name in its destination. */
const PLACE = '{name}';

/**
 * A backup of a cluster's tables by ClickHouse's own BACKUP, with all records that were
 * acknowledged before. It waits until these are written, because nobody copies a Kafka. The
 * operator of the event store copies the events after it. A start carries out events that the
 * tables lack, and refuses tables that are newer than the events.
 */
export class ClusterBackup {
  private isWorking = false;

  /** @param destination as ClickHouse takes it after TO, with `{name}` in it */
  constructor(
    private readonly stores: SharedStores,
    private readonly destination: string,
  ) {}

  /** @throws {Error} when the backup fails */
  async backUp(wish: BackupWish, { signal, tell }: Working): Promise<ClusterBackupDone> {
    const name = backupName(wish.name, new Date().toISOString());
    const base = wish.base === undefined ? undefined : backupName(wish.base, '');
    if (this.isWorking)
      throw new OperatorError('a backup is being made already; wait until it is done');
    this.isWorking = true;
    try {
      tell({ step: 'written' });
      await unlessAborted(this.stores.queue.awaitAllCommitted(), signal);
      const position = String((await this.stores.lastPosition()) ?? 0n);
      const onProgress = ({ bytes }: { bytes: number }): void => tell({ step: 'tables', bytes });
      const from = base === undefined ? {} : { base: this.at(base) };
      await this.stores.tables.backUpTables(this.at(name), { ...from, signal, onProgress });
      return { name, position };
    } finally {
      this.isWorking = false;
    }
  }

  /** Restores into a ClickHouse that has none of our tables. */
  static async restore(
    tables: TableBackups,
    destination: string,
    name: string,
    tell: (step: BackupStep) => void,
  ): Promise<void> {
    const onProgress = ({ bytes }: { bytes: number }): void => tell({ step: 'tables', bytes });
    await tables.restoreTables(placeOf(destination, backupName(name, '')), { onProgress });
  }

  private at(name: string): { readonly destination: string } {
    return placeOf(this.destination, name);
  }
}

const placeOf = (destination: string, name: string): { readonly destination: string } => ({
  destination: destination.replaceAll(PLACE, name),
});

/** @throws what `signal` is aborted with */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await Promise.race([
    work,
    once(signal, 'abort').then(() => {
      signal.throwIfAborted();
    }),
  ]);
}
