import { EventEmitter, once, setMaxListeners } from 'node:events';
import type { Admin } from 'kafkajs';
import { KeyedCounter, pause, within } from '@app/flow';
import { certain, MillraceError } from '@app/platform';
import { whyNoRoom, type Room } from '../../fair-room.js';
import type { QueueDepth, QueuePosition } from '../../ingest-queue.js';
import { admit } from '../../queue-room.js';
import { SetAside } from '../../set-aside.js';
import { toFailure } from '../client/kafka-failure.js';
import type { KafkaLog } from '../client/kafka-client.js';

interface GroupProgressOptions {
  readonly admin: Admin;
  readonly log: KafkaLog;
  readonly groupId: string;
  readonly topic: string;
  /** The limit of the waiting payload, in bytes. */
  readonly maxBytes: number;
}

interface Partition {
  /** The next offset to be written and to be consumed. */
  end: bigint;
  committed: bigint;
  /**
   * The payload sizes of records that this process appended and that are not committed yet, in
   * order.
   */
  own: { readonly offset: bigint; readonly bytes: number; readonly owner: string | undefined }[];
}

const POLL_MS = 2000;
/**
 * Brokers that have not answered for so long count as away, because callers should not wait as long
 * as the client tries.
 */
const SILENT_MS = 10_000;
const ANSWER_MS = 2000;
const RETRY_AFTER_SECONDS = 5;
/** The pause between two questions while somebody waits for a commit. */
const QUICK_POLL_MS = 20;
const MOVED = 'moved';
/** The assumed size of records that others appended, until this process has appended one. */
const FIRST_GUESS_BYTES = 16 * 1024;

/**
 * Tracks how far the writers' group has come, in whatever process. It asks the brokers from time to
 * time; a writer in this process reports at once.
 */
export class GroupProgress {
  /** A commit carries the set-aside records of its partition, so that every process knows them. */
  readonly setAside = new SetAside();
  private readonly partitions = new Map<number, Partition>();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly closing = new AbortController();
  private readonly polling: NodeJS.Timeout;
  private appended = { records: 0, bytes: 0 };
  /** Bytes of appends on their way, by owner. */
  private readonly reserved = new KeyedCounter<string | undefined>();
  private waiting = 0;
  private answeredAt = performance.now();
  private watching: Promise<void> | undefined;
  private asked: Promise<void> | undefined;

  constructor(private readonly options: GroupProgressOptions) {
    setMaxListeners(0, this.closing.signal);
    this.polling = setInterval(() => void this.poll().catch(() => undefined), POLL_MS).unref();
  }

  /**
   * Asks the brokers. Concurrent calls share one question.
   * @throws {MillraceError} QUEUE_UNAVAILABLE
   */
  poll(): Promise<void> {
    this.asked ??= this.ask().finally(() => (this.asked = undefined));
    return this.asked;
  }

  /**
   * Asks the brokers anew, because a running question may be older than this call.
   * @throws {MillraceError} QUEUE_UNAVAILABLE
   */
  async pollAnew(): Promise<void> {
    await this.asked?.catch(() => undefined);
    await this.poll();
  }

  /**
   * Runs an append of so many bytes. Only the owner's appends at this node count for its share.
   * @throws {QueueFullError}, and {MillraceError} QUEUE_UNAVAILABLE; nothing was begun then
   */
  async within<Result>(
    bytes: number,
    owner: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.checkThere();
    if (whyNoRoom(this.room(bytes, owner)) !== undefined) await this.poll();
    admit(this.room(bytes, owner));
    this.reserved.add(owner, bytes);
    try {
      return await work();
    } finally {
      this.reserved.add(owner, -bytes);
    }
  }

  /** Notes a record that this process has appended. */
  appendedAt({ partition, offset }: QueuePosition, bytes: number, owner?: string): void {
    const at = this.partition(partition);
    if (offset + 1n > at.end) at.end = offset + 1n;
    this.appended = { records: this.appended.records + 1, bytes: this.appended.bytes + bytes };
    if (offset >= at.committed) at.own.push({ offset, bytes, owner });
  }

  /** Notes that everything of the partition below `next` is committed. */
  committedBelow(partition: number, next: bigint): void {
    const at = this.partition(partition);
    if (next <= at.committed) return;
    at.committed = next;
    if (next > at.end) at.end = next;
    at.own = at.own.filter(({ offset }) => offset >= next);
    this.changes.emit(MOVED);
  }

  committed(): ReadonlyMap<number, bigint> {
    return new Map([...this.partitions].map(([partition, at]) => [partition, at.committed]));
  }

  /**
   * The first offset that is not committed, as it was so many milliseconds ago at most.
   * @throws {MillraceError} QUEUE_UNAVAILABLE
   */
  async writtenTo(partition: number, knownMs: number): Promise<bigint> {
    if (performance.now() - this.answeredAt >= knownMs) await this.poll();
    return this.partition(partition).committed;
  }

  depth(): QueueDepth {
    const guess =
      this.appended.records > 0 ? this.appended.bytes / this.appended.records : FIRST_GUESS_BYTES;
    let records = 0;
    let bytes = this.reserved.total;
    for (const { end, committed, own } of this.partitions.values()) {
      const all = Number(end - committed);
      records += all;
      bytes += sum(own.map((each) => each.bytes)) + (all - own.length) * guess;
    }
    return { records, bytes: Math.round(bytes) };
  }

  lag(): ReadonlyMap<number, number> {
    return new Map(
      [...this.partitions].map(([partition, { end, committed }]) => [
        partition,
        Number(end - committed),
      ]),
    );
  }

  async awaitCommitted({ partition, offset }: QueuePosition): Promise<void> {
    const at = this.partition(partition);
    this.waiting += 1;
    this.watching ??= this.watch().finally(() => (this.watching = undefined));
    try {
      while (at.committed <= offset) await this.moved();
    } finally {
      this.waiting -= 1;
    }
  }

  async awaitAllCommitted(): Promise<void> {
    await this.poll();
    await Promise.all(
      [...this.partitions].map(([partition, { end }]) =>
        this.awaitCommitted({ partition, offset: end - 1n }),
      ),
    );
  }

  close(): void {
    clearInterval(this.polling);
    this.closing.abort();
  }

  private async moved(): Promise<void> {
    await once(this.changes, MOVED, { signal: this.closing.signal }).catch(() => {
      throw new MillraceError('SHUTTING_DOWN', 'stored, but the server stops before it is written');
    });
  }

  /** Asks often while a caller waits. */
  private async watch(): Promise<void> {
    const { signal } = this.closing;
    while (this.waiting > 0 && !signal.aborted) {
      await this.poll().catch((error: unknown) =>
        this.options.log.warn({ err: error }, 'the progress of the writers cannot be asked for'),
      );
      await pause(QUICK_POLL_MS, signal);
    }
  }

  private async ask(): Promise<void> {
    const { admin, groupId, topic } = this.options;
    try {
      const [ends, groups] = await Promise.all([
        admin.fetchTopicOffsets(topic),
        admin.fetchOffsets({ groupId, topics: [topic] }),
      ]);
      this.answeredAt = performance.now();
      for (const { partition, high, low } of ends) {
        const at = this.partition(partition);
        if (BigInt(high) > at.end) at.end = BigInt(high);
        this.committedBelow(partition, BigInt(low));
      }
      for (const { partition, offset, metadata } of certain(groups[0], 'answer about the topic')
        .partitions) {
        this.setAside.read(partition, metadata);
        this.committedBelow(partition, BigInt(offset));
      }
    } catch (error) {
      throw toFailure(error);
    }
  }

  /**
   * @throws {MillraceError} QUEUE_UNAVAILABLE when the brokers have not answered for a while, and
   *   still do not.
   */
  async checkThere(): Promise<void> {
    if (performance.now() - this.answeredAt < SILENT_MS) return;
    await within(ANSWER_MS, this.poll(), () => {
      throw new MillraceError('QUEUE_UNAVAILABLE', 'the queue’s brokers do not answer just now', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    });
  }

  private room(bytes: number, owner: string | undefined): Room {
    const { maxBytes } = this.options;
    const own = owner === undefined ? 0 : this.ownedBy(owner);
    return { maxBytes, waiting: this.depth().bytes, own, bytes };
  }

  private ownedBy(owner: string): number {
    const appended = [...this.partitions.values()].flatMap(({ own }) =>
      own.filter((each) => each.owner === owner).map(({ bytes }) => bytes),
    );
    return sum(appended) + this.reserved.of(owner);
  }

  private partition(number: number): Partition {
    const known = this.partitions.get(number) ?? { end: 0n, committed: 0n, own: [] };
    this.partitions.set(number, known);
    return known;
  }
}

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const each of numbers) all += each;
  return all;
}
