import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import { unlessGone } from '@app/files';
import { failedCommit, OperatorError } from '@app/platform';
import type { QueueHold } from '../queue-hold.js';

/** The value that lmdb holds under a record's offset. */
export interface StoredRecord {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Payload itself, or the name of its file in the payload folder. */
  readonly bytes?: Uint8Array;
  readonly file?: string;
  readonly size: number;
  readonly owner?: string;
}

/** A record that waits, with its offset. */
export interface Waiting {
  readonly offset: number;
  readonly value: StoredRecord;
}

export interface QueueDatabases {
  readonly environment: RootDatabase;
  readonly records: Database<StoredRecord, number>;
  readonly counters: Database<number, string>;
}

/** The last offset before the first record that is not done. Later ones may be done already. */
export const COMMITTED = 'committed';
export const NEXT_OFFSET = 'next-offset';
/** Records that one transaction takes out. */
const REMOVED_AT_ONCE = 1000;

export const payloadFolder = (directory: string): string => join(directory, 'payloads');

export function openQueueDatabases(
  directory: string,
  options: { readonly readOnly?: true } = {},
): QueueDatabases {
  // overlappingSync would resolve writes before they are on disk.
  const environment = open({ path: directory, maxDbs: 5, overlappingSync: false, ...options });
  return {
    environment,
    records: environment.openDB({ name: 'records', encoding: 'msgpack' }),
    counters: environment.openDB({ name: 'counters', encoding: 'ordered-binary' }),
  };
}

interface Held {
  bytes: number;
  isBroken: boolean;
}

/**
 * Deletes the records that are done, in any order; what is left is not done. While a hold lasts,
 * they go aside instead: a backup copies the tables first and then the queue, and a record that was
 * written between the two must be in one of them.
 */
export class DoneRecords {
  private held: Held | undefined;
  /** Records that were done since the hold began. */
  private readonly kept: Database<StoredRecord, number>;

  constructor(
    private readonly databases: QueueDatabases,
    private readonly payloads: string,
    /** The limit of the bytes that a hold keeps. */
    private readonly maxBytes: number,
  ) {
    this.kept = openKept(databases.environment);
  }

  /** The last offset up to which all is done; 0 before the first. */
  get upTo(): number {
    return this.databases.counters.get(COMMITTED) ?? 0;
  }

  /** Tells whether records that are done keep their room on the disk. */
  get isHeld(): boolean {
    return this.held !== undefined;
  }

  /**
   * Durable when it calls `committed`, with the records of these that were not done before. Their
   * files are removed afterwards, because nobody who waits for the commit waits for that.
   */
  async commit(
    records: readonly Waiting[],
    committed: (done: readonly Waiting[]) => void,
  ): Promise<void> {
    const { environment } = this.databases;
    const { done, files } = await environment
      .childTransaction(() => {
        const newly = records.filter(({ offset }) => this.databases.records.doesExist(offset));
        for (const { offset } of newly) this.databases.records.removeSync(offset);
        noteProgress(this.databases);
        if (!this.held) return { done: newly, files: filesOf(newly) };
        for (const { offset, value } of newly) {
          this.kept.putSync(offset, value);
          this.held.bytes += value.size;
        }
        return { done: newly, files: [] };
      })
      .catch(async (error: unknown) => {
        throw await failedCommit(error);
      });
    committed(done);
    await this.removeFiles(files);
    if (this.held && this.held.bytes > this.maxBytes) {
      this.held.isBroken = true;
      await this.release(this.held);
    }
  }

  async hold(): Promise<QueueHold> {
    if (this.held) throw new Error('impossible state: the queue is held already');
    await this.removeKept();
    const { environment } = this.databases;
    // Transactions run one after the other, so every later commit sees the hold.
    const held = await environment.transaction(() => (this.held = { bytes: 0, isBroken: false }));
    return {
      copyTo: (directory) => this.copyTo(directory, held),
      release: () => this.release(held),
    };
  }

  /**
   * Deletes the records that were held when the server crashed. It runs at the start. No record
   * names their files then. An earlier version left them in their place.
   */
  forgetHeld(): void {
    const { environment, records } = this.databases;
    environment.transactionSync(() => {
      for (const key of [...records.getKeys({ end: this.upTo + 1 })]) records.removeSync(key);
      for (const key of [...this.kept.getKeys()]) this.kept.removeSync(key);
    });
  }

  private async removeKept(): Promise<void> {
    for (;;) {
      const removed = await this.databases.environment.transaction(() => {
        const range = waitingOf(this.kept.getRange({ limit: REMOVED_AT_ONCE }));
        for (const { offset } of range) this.kept.removeSync(offset);
        return range;
      });
      await this.removeFiles(filesOf(removed));
      if (removed.length < REMOVED_AT_ONCE) return;
    }
  }

  private async copyTo(directory: string, held: Held): Promise<void> {
    await mkdir(payloadFolder(directory), { recursive: true });
    this.refuseBroken(held);
    await this.databases.environment.backup(directory, false);
    const copy = openQueueDatabases(directory);
    try {
      const { records, environment } = copy;
      const kept = openKept(environment);
      // Some at a time: all of them can be as much as the queue holds.
      const putBack = (): Promise<number> =>
        environment.transaction(() => {
          const range = waitingOf(kept.getRange({ limit: REMOVED_AT_ONCE }));
          for (const { offset, value } of range) {
            records.putSync(offset, value);
            kept.removeSync(offset);
          }
          noteProgress(copy);
          return range.length;
        });
      while ((await putBack()) === REMOVED_AT_ONCE);
      for (const { value } of records.getRange())
        if (value.file !== undefined) await this.copyPayload(value.file, directory);
    } finally {
      await copy.environment.close();
    }
    await rm(join(directory, 'lock.mdb'), { force: true });
    this.refuseBroken(held);
  }

  /** A file that somebody deleted is as lost in the copy as it is here. */
  private async copyPayload(file: string, directory: string): Promise<void> {
    const to = join(payloadFolder(directory), file);
    await unlessGone(copyFile(join(this.payloads, file), to), undefined);
  }

  private refuseBroken({ isBroken }: Held): void {
    if (isBroken)
      throw new OperatorError(
        'more was uploaded while the tables were copied than MILLRACE_QUEUE_MAX_BYTES lets the queue hold; set it higher, or make the backup when less is uploaded',
      );
  }

  private async release(held: Held): Promise<void> {
    if (this.held !== held) return;
    this.held = undefined;
    await this.removeKept();
  }

  private async removeFiles(files: readonly string[]): Promise<void> {
    await Promise.all(files.map((file) => rm(join(this.payloads, file), { force: true })));
  }
}

const openKept = (environment: RootDatabase): Database<StoredRecord, number> =>
  environment.openDB({ name: 'kept', encoding: 'msgpack' });

const waitingOf = (
  range: Iterable<{ readonly key: number; readonly value: StoredRecord }>,
): readonly Waiting[] => Array.from(range, ({ key: offset, value }) => ({ offset, value }));

/** Runs inside the write transaction. An earlier version begins behind this offset. */
function noteProgress({ records, counters }: QueueDatabases): void {
  const [first = counters.get(NEXT_OFFSET) ?? 1] = records.getKeys({ limit: 1 });
  counters.putSync(COMMITTED, first - 1);
}

const filesOf = (records: readonly Waiting[]): string[] =>
  records.flatMap(({ value: { file } }) => (file === undefined ? [] : [file]));
