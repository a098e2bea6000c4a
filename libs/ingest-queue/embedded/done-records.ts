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

export interface QueueDatabases {
  readonly environment: RootDatabase;
  readonly records: Database<StoredRecord, number>;
  readonly counters: Database<number, string>;
}

export const COMMITTED = 'committed';
/** Records that one transaction takes out. */
const REMOVED_AT_ONCE = 1000;

export const payloadFolder = (directory: string): string => join(directory, 'payloads');

export function openQueueDatabases(
  directory: string,
  options: { readonly readOnly?: true } = {},
): QueueDatabases {
  // overlappingSync would resolve writes before they are on disk.
  const environment = open({ path: directory, maxDbs: 4, overlappingSync: false, ...options });
  return {
    environment,
    records: environment.openDB({ name: 'records', encoding: 'msgpack' }),
    counters: environment.openDB({ name: 'counters', encoding: 'ordered-binary' }),
  };
}

interface Held {
  /** Records before this offset were done when the hold began. */
  readonly from: number;
  bytes: number;
  isBroken: boolean;
}

/**
 * Keeps how far the queue is done, and deletes the records that are done, unless a hold keeps them.
 * A backup copies the tables first and then the queue, and a record that was written between the
 * two must be in one of them.
 */
export class DoneRecords {
  private held: Held | undefined;

  constructor(
    private readonly databases: QueueDatabases,
    private readonly payloads: string,
    /** The limit of the bytes that a hold keeps. */
    private readonly maxBytes: number,
  ) {}

  /** The last offset that is done; 0 before the first. */
  get upTo(): number {
    return this.databases.counters.get(COMMITTED) ?? 0;
  }

  /** @returns the records that were not done before. Durable when it resolves. */
  async commit(offset: number): Promise<readonly StoredRecord[]> {
    const { environment, records, counters } = this.databases;
    const { done, files } = await environment
      .transaction(() => {
        const before = this.upTo;
        const range = [...records.getRange({ start: before + 1, end: offset + 1 })];
        if (offset > before) counters.putSync(COMMITTED, offset);
        const newly = range.map(({ value }) => value);
        if (!this.held) for (const { key } of range) records.removeSync(key);
        else for (const { size } of newly) this.held.bytes += size;
        return { done: newly, files: this.held ? [] : filesOf(newly) };
      })
      .catch(async (error: unknown) => {
        throw await failedCommit(error);
      });
    await this.removeFiles(files);
    if (this.held && this.held.bytes > this.maxBytes) {
      this.held.isBroken = true;
      await this.release(this.held);
    }
    return done;
  }

  async hold(): Promise<QueueHold> {
    if (this.held) throw new Error('impossible state: the queue is held already');
    const { environment } = this.databases;
    // Transactions run one after the other, so every later commit sees the hold.
    const held = await environment.transaction(
      () => (this.held = { from: this.upTo, bytes: 0, isBroken: false }),
    );
    return {
      copyTo: (directory) => this.copyTo(directory, held),
      release: () => this.release(held),
    };
  }

  /**
   * Deletes the records that were held when the server crashed. It runs at the start. No record
   * names their files then.
   */
  forgetHeld(): void {
    const { environment, records } = this.databases;
    environment.transactionSync(() => {
      for (const key of [...records.getKeys({ end: this.upTo + 1 })]) records.removeSync(key);
    });
  }

  private async removeDone(): Promise<void> {
    const { environment, records } = this.databases;
    for (;;) {
      const removed = await environment.transaction(() => {
        const range = [...records.getRange({ end: this.upTo + 1, limit: REMOVED_AT_ONCE })];
        for (const { key } of range) records.removeSync(key);
        return range.map(({ value }) => value);
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
      for (const { value } of copy.records.getRange({ start: held.from + 1 }))
        if (value.file !== undefined) await this.copyPayload(value.file, directory);
      await copy.environment.transaction(() => copy.counters.putSync(COMMITTED, held.from));
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
    await this.removeDone();
  }

  private async removeFiles(files: readonly string[]): Promise<void> {
    await Promise.all(files.map((file) => rm(join(this.payloads, file), { force: true })));
  }
}

const filesOf = (records: readonly StoredRecord[]): string[] =>
  records.flatMap(({ file }) => (file === undefined ? [] : [file]));
