import { randomInt } from 'node:crypto';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { checkLmdbFile, syncPath } from '@app/files';
import { certain, failedCommit, MillraceError, OperatorError } from '@app/platform';
import {
  AlreadyAppendedError,
  type ConsumeOptions,
  type Delivery,
  type IngestQueue,
  type KeptAppend,
  type NamedAppend,
  type QueueDepth,
  type QueuedRecord,
  type QueuePosition,
  type QueueRecord,
} from '../ingest-queue.js';
import type { HoldableQueue, QueueHold } from '../queue-hold.js';
import { FIRST_PARTITIONS, PARTITIONS_MAX } from '../first-partition.js';
import { SetAside } from '../set-aside.js';
import { adoptFiles } from './adopt-files.js';
import { AppendNames } from './kept-append-names.js';
import {
  COMMITTED,
  DoneRecords,
  NEXT_OFFSET,
  openQueueDatabases,
  payloadFolder,
  type QueueDatabases,
  type StoredRecord,
  type Waiting,
} from './done-records.js';
import { DeliverableRecords } from './deliverable-records.js';
import { DiskPace } from './disk-pace.js';
import { WaitingRecords } from './waiting-records.js';

interface EmbeddedQueueOptions {
  /** An absolute path; created when missing. */
  readonly directory: string;
  /** The limit of the waiting payload, in bytes. */
  readonly maxBytes: number;
  /** The clock for the age of names. */
  readonly now?: () => number;
  readonly pace?: DiskPace;
}

const APPENDED = 'appended';
const COMMIT = 'commit';
/** The number of this queue's only partition. */
const PARTITION = 'partition';

/**
 * One partition in an lmdb environment, with large payloads as files beside it.
 *
 * A payload file is moved in and synced before the transaction that names it, so a record never
 * names what is not there; a file that no record names is a crash's leftover and goes at start.
 * lmdb gathers waiting appends and commits into one transaction on disk, and their promises
 * resolve after the sync. Offsets come from a counter in the same transaction: never used twice.
 * Records are delivered in turns, not in the order of their offsets. A commit deletes the delivered
 * ones, and so what is there is what waits, after a crash too.
 */
class EmbeddedIngestQueue implements IngestQueue, HoldableQueue {
  readonly isShared = false;
  readonly payloadBytesMax = Number.POSITIVE_INFINITY;
  readonly lag = (): ReadonlyMap<number, number> => new Map([[0, this.depth().records]]);
  readonly reach = (): Promise<void> => Promise.resolve();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly closing = new AbortController();
  private readonly records: Database<StoredRecord, number>;
  private readonly counters: Database<number, string>;
  private readonly names: AppendNames;
  private readonly payloads: string;
  private readonly partition: number;
  private readonly waiting: WaitingRecords;
  private readonly aside = new SetAside();
  private readonly pace: DiskPace;
  private readonly done: DoneRecords;
  private readonly deliverable: DeliverableRecords;
  private readonly environment: RootDatabase;

  constructor(
    databases: QueueDatabases,
    { directory, maxBytes, now = Date.now, pace = new DiskPace() }: EmbeddedQueueOptions,
  ) {
    this.pace = pace;
    setMaxListeners(0, this.closing.signal);
    this.waiting = new WaitingRecords(maxBytes);
    this.environment = databases.environment;
    this.records = databases.records;
    this.counters = databases.counters;
    this.names = new AppendNames(this.environment, now);
    this.payloads = payloadFolder(directory);
    this.done = new DoneRecords(databases, this.payloads, maxBytes);
    this.deliverable = new DeliverableRecords(databases, this.payloads);
    this.partition = this.counters.get(PARTITION) ?? this.drawPartition();
    this.recover();
  }

  async append(
    records: readonly QueueRecord[],
    once?: NamedAppend,
  ): Promise<readonly QueuePosition[]> {
    if (this.closing.signal.aborted) throw new Error('the queue is closed');
    const sizes = records.map(({ payload }) =>
      'bytes' in payload ? payload.bytes.length : statSync(payload.file).size,
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const owner = records[0]?.owner;
    this.waiting.admit(owner, records.length, bytes);
    let adopted: readonly string[] = [];
    try {
      const files = records.flatMap(({ payload }) => ('file' in payload ? [payload.file] : []));
      adopted = await this.pace.measure(files.length > 0 ? bytes : 0, () =>
        adoptFiles(files, this.payloads),
      );
      const names = adopted.values();
      const stored = records.map(({ payload, ...rest }, index): StoredRecord => {
        const size = certain(sizes[index], 'size of a record');
        if ('bytes' in payload) return { ...rest, bytes: payload.bytes, size };
        return { ...rest, file: certain(names.next().value, 'name of a file'), size };
      });
      if (adopted.length > 0) await syncPath(this.payloads);
      // A child transaction: one that fails half-way leaves nothing in the group's transaction.
      const first = await this.environment.childTransaction(() => this.putNow(stored, once));
      if (typeof first !== 'number') throw new AlreadyAppendedError(first);
      this.deliverable.look();
      this.changes.emit(APPENDED);
      return stored.map((_, index) => ({
        partition: this.partition,
        offset: BigInt(first + index),
      }));
    } catch (error) {
      this.waiting.grow(owner, -records.length, -bytes);
      await Promise.all(adopted.map((file) => rm(join(this.payloads, file), { force: true })));
      throw await failedCommit(error);
    }
  }

  /** A hold keeps all that is done, and breaks when that is more than the queue may hold. */
  plainBytesMax(): number {
    return this.pace.isFast && !this.done.isHeld ? this.waiting.plainBytesMax : 0;
  }

  appended(name: string): Promise<KeptAppend | undefined> {
    return Promise.resolve(this.names.find(name));
  }

  async *consume({ signal, maxRecords, maxBytes }: ConsumeOptions): AsyncIterable<Delivery> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    while (!ended.aborted) {
      const turn = this.deliverable.take({ maxRecords, maxBytes });
      if (turn.length === 0) {
        await once(this.changes, APPENDED, { signal: ended }).catch(() => undefined);
        continue;
      }
      yield {
        partition: this.partition,
        epoch: undefined,
        records: turn.map((each) => this.toDelivered(each)),
        commit: (setAside = []) => this.commit(turn, setAside),
        // The turn goes on until it is committed.
        release: () => Promise.resolve(),
      };
    }
  }

  written(key: string): Promise<QueuePosition> {
    const offset = BigInt(this.deliverable.writtenTo(key));
    return Promise.resolve({ partition: this.partition, offset });
  }

  awaitCommitted({ offset }: QueuePosition): Promise<void> {
    return this.awaitCommit(() => this.deliverable.isDone(offset));
  }

  async awaitAllCommitted(): Promise<void> {
    const last = (this.counters.get(NEXT_OFFSET) ?? 1) - 1;
    await this.awaitCommit(() => this.done.upTo >= last);
  }

  wasSetAside(position: QueuePosition, first: bigint): boolean {
    return this.aside.has(position, first);
  }

  hold(): Promise<QueueHold> {
    return this.done.hold();
  }

  depth(): QueueDepth {
    return this.waiting.depth();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.environment.close();
  }

  /**
   * Runs inside the write transaction.
   * @returns the first offset (they count from 1), or the earlier append with this name.
   */
  private putNow(
    stored: readonly StoredRecord[],
    once: NamedAppend | undefined,
  ): number | KeptAppend {
    const before = once && this.names.before(once);
    if (before) return before;
    const first = this.counters.get(NEXT_OFFSET) ?? 1;
    for (const [index, record] of stored.entries()) this.records.putSync(first + index, record);
    this.counters.putSync(NEXT_OFFSET, first + stored.length);
    const last = { partition: this.partition, offset: BigInt(first + stored.length - 1) };
    if (once) this.names.keep({ ...once, position: stored.length > 0 ? last : undefined });
    for (const each of once?.renews ?? []) this.names.keep(each);
    return first;
  }

  private toDelivered({ offset, value }: Waiting): QueuedRecord {
    const { key, headers } = value;
    const position = { partition: this.partition, offset: BigInt(offset) };
    return { key, headers, payload: this.deliverable.payload(value), position };
  }

  private async awaitCommit(isCommitted: () => boolean): Promise<void> {
    while (!isCommitted()) {
      await once(this.changes, COMMIT, { signal: this.closing.signal }).catch(() => {
        throw new MillraceError(
          'SHUTTING_DOWN',
          'stored, but the server stops before it is written',
        );
      });
    }
  }

  private commit(turn: readonly Waiting[], setAside: readonly QueuePosition[]): Promise<void> {
    return this.done.commit(turn, (done) => {
      this.aside.add(
        this.partition,
        setAside.map((position) => position.offset),
      );
      this.deliverable.done(turn);
      for (const { value } of done) this.waiting.grow(value.owner, -1, -value.size);
      this.changes.emit(COMMIT);
    });
  }

  /** A queue from before numbers were drawn has 0. */
  private drawPartition(): number {
    const isNew = this.counters.get(NEXT_OFFSET) === undefined;
    const drawn = isNew ? randomInt(1, FIRST_PARTITIONS) * PARTITIONS_MAX : 0;
    this.counters.putSync(PARTITION, drawn);
    return drawn;
  }

  private recover(): void {
    this.done.forgetHeld();
    const named = new Set<string>();
    this.deliverable.readAll(({ owner, size, file }) => {
      this.waiting.grow(owner, 1, size);
      if (file !== undefined) named.add(file);
    });
    for (const file of readdirSync(this.payloads)) {
      if (!named.has(file)) rmSync(join(this.payloads, file), { force: true });
    }
  }
}

/** lmdb lists the processes that read it. By their file locks it knows which of them have ended. */
function otherProcess(environment: RootDatabase): number | undefined {
  // The first read adds this process to the list. If two start at once, at least one sees the
  // other.
  environment.get(COMMITTED);
  environment.readerCheck();
  const pids = [...environment.readerList().matchAll(/^\s*(\d+) /gm)].map(([, pid]) => Number(pid));
  return pids.find((pid) => pid !== process.pid);
}

/**
 * @throws when the queue is damaged, or another live process has it open: that process's payload
 * files would be taken for leftovers.
 */
export function openEmbeddedIngestQueue(options: EmbeddedQueueOptions): EmbeddedIngestQueue {
  mkdirSync(payloadFolder(options.directory), { recursive: true });
  checkLmdbFile(join(options.directory, 'data.mdb'));
  const databases = openQueueDatabases(options.directory);
  const other = otherProcess(databases.environment);
  if (other !== undefined) {
    void databases.environment.close();
    throw new OperatorError(
      `the ingest queue in ${options.directory} is in use by process ${other}`,
    );
  }
  return new EmbeddedIngestQueue(databases, options);
}
