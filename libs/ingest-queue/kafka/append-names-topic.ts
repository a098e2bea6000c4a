import { randomUUID } from 'node:crypto';
import { EventEmitter, once as nextEvent } from 'node:events';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { Backoff, KeyedMutex } from '@app/flow';
import {
  AlreadyAppendedError,
  NAMES_KEPT_MS,
  type KeptAppend,
  type NamedAppend,
  type QueuePosition,
} from '../ingest-queue.js';
import { isSameAppend } from '../same-append.js';
import { toFailure, unavailable } from './client/kafka-failure.js';
import type { KafkaLog } from './client/kafka-client.js';
import { partitionOf } from './partition-of.js';
import type { PlainProducer } from './client/plain-producer.js';
import { SteadyConsumer } from './client/steady-consumer.js';
import { TransactionalProducer, transactionTimeoutMs, type SendWithin } from './transactions.js';

interface AppendNamesOptions {
  readonly kafka: Kafka;
  readonly log: KafkaLog;
  readonly producer: PlainProducer;
  readonly namespace: string;
  readonly topic: string;
  readonly partitions: number;
  /** The clock for the age of names. */
  readonly now: () => number;
}

interface StoredName {
  readonly fingerprint: string;
  readonly answer: string;
  readonly partition?: number;
  /** Decimal digits. */
  readonly offset?: string;
}

interface KnownName extends StoredName {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const READ = 'read';
const READ_WITHIN_MS = 30_000;
const TRIES = 6;
const BACKOFF_MS = { first: 200, most: 1000 };
const SWEEP_MS = 60_000;

/**
 * Names of appends in a topic of their own, which every node reads whole: about 0.4 KB of memory
 * for each name of the last day.
 *
 * A named append is a transaction of its batches and its name, by a producer whose transactional id
 * is the name, or the first that it renews: another append may get that one meanwhile. A node that
 * begins such a transaction takes the id over, so the broker ends the transaction of any other node
 * under it. The node then reads the names up to now. It appends only when its name is not among
 * them, and when no other append is under the names that it renews. When two nodes do so at once,
 * one is fenced, and finds the other's name.
 */
export class AppendNames {
  private readonly known = new Map<string, KnownName>();
  /** The next offset that was not read yet, by partition. */
  private readonly read = new Map<number, bigint>();
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly appending = new KeyedMutex();
  private readonly consumer: SteadyConsumer;
  private readonly sweeping: NodeJS.Timeout;

  constructor(private readonly options: AppendNamesOptions) {
    const { kafka, log, topic, namespace } = options;
    this.consumer = new SteadyConsumer({
      kafka,
      log,
      topic,
      config: { groupId: `${namespace}.names.${randomUUID()}`, maxWaitTimeInMs: 500 },
      eachBatch: (payload) => {
        const { batch } = payload;
        for (const message of batch.messages) {
          this.keep(message);
          payload.resolveOffset(message.offset);
        }
        this.read.set(batch.partition, BigInt(batch.lastOffset()) + 1n);
        this.changes.emit(READ);
        return Promise.resolve();
      },
    });
    this.sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  start(): Promise<void> {
    return this.consumer.start();
  }

  async close(): Promise<void> {
    clearInterval(this.sweeping);
    await this.consumer.close();
  }

  /** Gives the append under this name as of now, at whatever node it was made. */
  async find(name: string): Promise<KeptAppend | undefined> {
    await this.readUpToNow(this.partitionOf(name));
    const found = this.known.get(name);
    if (!found || found.at <= this.options.now() - NAMES_KEPT_MS) return undefined;
    const { fingerprint, answer, partition, offset } = found;
    const position =
      partition === undefined || offset === undefined
        ? undefined
        : { partition, offset: BigInt(offset) };
    return { name, fingerprint, answer, position };
  }

  /**
   * Commits the records that `work` sends together with the name, once for as long as the name is
   * kept.
   * @param bytes of all that `work` sends
   * @throws {AlreadyAppendedError}
   */
  append(
    once: NamedAppend,
    bytes: number,
    work: (send: SendWithin) => Promise<readonly QueuePosition[]>,
  ): Promise<readonly QueuePosition[]> {
    return this.appending.run(firstName(once), () => this.appendAlone(once, bytes, work));
  }

  private async appendAlone(
    once: NamedAppend,
    bytes: number,
    work: (send: SendWithin) => Promise<readonly QueuePosition[]>,
  ): Promise<readonly QueuePosition[]> {
    const { kafka, namespace } = this.options;
    const id = `${namespace}.append.${firstName(once)}`;
    const producer = new TransactionalProducer(kafka, id, transactionTimeoutMs(bytes));
    const backoff = new Backoff(BACKOFF_MS);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await producer.takeOver();
          const kept = await this.before(once);
          if (kept) throw new AlreadyAppendedError(kept);
          return await producer.run(async (send) => this.sendNamed(once, await work(send), send));
        } catch (error) {
          // It is unknown whether it was appended, so the next try finds out.
          const failure = error instanceof AlreadyAppendedError ? error : toFailure(error);
          if (attempt === TRIES || !unavailable(failure)) throw failure;
        }
        await backoff.wait();
      }
    } finally {
      await producer.discard();
    }
  }

  /** Finds an earlier append under this name, or under a name that it renews. */
  private async before({ name, renews = [] }: NamedAppend): Promise<KeptAppend | undefined> {
    for (const each of renews) {
      const kept = await this.find(each.name);
      if (kept && !isSameAppend(kept, each)) return kept;
    }
    return this.find(name);
  }

  private async sendNamed(
    once: NamedAppend,
    positions: readonly QueuePosition[],
    send: SendWithin,
  ): Promise<readonly QueuePosition[]> {
    await this.sendName({ ...once, position: positions.at(-1) }, send);
    for (const each of once.renews ?? []) await this.sendName(each, send);
    return positions;
  }

  private async sendName(
    { name, fingerprint, answer, position }: KeptAppend,
    send: SendWithin,
  ): Promise<void> {
    const stored: StoredName = {
      fingerprint,
      answer,
      ...(position ? { partition: position.partition, offset: String(position.offset) } : {}),
    };
    const timestamp = String(this.options.now());
    await send({
      topic: this.options.topic,
      partition: this.partitionOf(name),
      messages: [{ key: name, value: JSON.stringify(stored), timestamp }],
    });
  }

  /** Writes a record without a key behind all existing ones, and waits until it is read. */
  private async readUpToNow(partition: number): Promise<void> {
    const { producer, topic } = this.options;
    const mark = await producer.send({ topic, partition, messages: [{ value: '' }] });
    const late = AbortSignal.timeout(READ_WITHIN_MS);
    while ((this.read.get(partition) ?? 0n) <= mark) {
      await nextEvent(this.changes, READ, { signal: late }).catch((error: unknown) => {
        throw toFailure(error);
      });
    }
  }

  private keep({ key, value, timestamp }: KafkaMessage): void {
    if (!key || !value) return;
    const name = key.toString();
    const stored = JSON.parse(value.toString()) as StoredName;
    this.known.set(name, { ...stored, at: Number(timestamp) });
  }

  private sweep(): void {
    const old = this.options.now() - NAMES_KEPT_MS;
    for (const [name, { at }] of this.known) if (at <= old) this.known.delete(name);
  }

  private partitionOf(name: string): number {
    return partitionOf(name, this.options.partitions);
  }
}

const firstName = ({ name, renews }: NamedAppend): string => renews?.[0]?.name ?? name;
