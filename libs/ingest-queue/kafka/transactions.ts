import { CompressionTypes, type Kafka, type Producer, type Transaction } from 'kafkajs';
import { MillraceError } from '@app/platform';
import { RETRY } from './client/kafka-client.js';
import { offsetOf, type Outgoing } from './client/plain-producer.js';

/**
 * The broker ends a transaction that takes longer than this. Until then, readers of its partitions
 * wait, so the time is short. A large transaction over a slow line gets more, up to the broker's
 * limit (`transaction.max.timeout.ms`, by default).
 */
const LEAST_MS = 60_000;
const MOST_MS = 15 * 60_000;
const SLOW_BYTES_PER_SECOND = 256 * 1024;

/** Gives the time that a transaction of so many bytes may take, in milliseconds. */
export const transactionTimeoutMs = (bytes: number): number =>
  Math.min(MOST_MS, LEAST_MS + Math.ceil((bytes / SLOW_BYTES_PER_SECOND) * 1000));

/** @returns the first message's offset. */
export type SendWithin = (outgoing: Outgoing) => Promise<bigint>;

/**
 * The producer of one transactional id. Its first use ends a transaction that another producer with
 * this id has left open.
 */
export class TransactionalProducer {
  private current: Promise<Producer> | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly id: string,
    private readonly timeoutMs = LEAST_MS,
  ) {}

  /** Fences any other producer of this id and ends its transaction, one way or the other. */
  async takeOver(): Promise<void> {
    await this.discard();
    await this.connected();
  }

  /**
   * Commits all messages that `work` has sent, or none.
   * @throws {MillraceError} UPLOAD_TOO_LARGE when it took longer than a transaction may
   */
  async run<Result>(
    work: (send: SendWithin, transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const producer = await this.connected();
    const until = performance.now() + this.timeoutMs;
    let transaction: Transaction | undefined;
    let isEnding = false;
    try {
      transaction = await producer.transaction();
      const open = transaction;
      const result = await work((outgoing) => sendWithin(open, outgoing), open);
      if (performance.now() >= until) throw this.tookTooLong();
      isEnding = true;
      await open.commit();
      return result;
    } catch (error) {
      if (transaction?.isActive() === true) await transaction.abort().catch(() => undefined);
      // It may be unknown whether the transaction ended. The next one with this id ends it.
      await this.discard();
      // The broker has ended the transaction by now, whatever its error says, because no commit was
      // asked for.
      throw !isEnding && performance.now() >= until ? this.tookTooLong(error) : error;
    }
  }

  /**
   * Returns a producer with the same id for one transaction of so many bytes. This one takes the id
   * back when it is used next.
   */
  async sized(bytes: number): Promise<TransactionalProducer> {
    const timeoutMs = transactionTimeoutMs(bytes);
    if (timeoutMs <= this.timeoutMs) return this;
    await this.discard();
    return new TransactionalProducer(this.kafka, this.id, timeoutMs);
  }

  async discard(): Promise<void> {
    const connecting = this.current;
    this.current = undefined;
    await connecting?.then((producer) => producer.disconnect()).catch(() => undefined);
  }

  private connected(): Promise<Producer> {
    this.current ??= this.connect().catch((error: unknown) => {
      this.current = undefined;
      throw error;
    });
    return this.current;
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      transactionalId: this.id,
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: this.timeoutMs,
      allowAutoTopicCreation: false,
      retry: RETRY,
    });
    await producer.connect();
    // The client asks for its id, which is what fences others, only when a transaction begins.
    const begun = await producer.transaction();
    await begun.abort();
    return producer;
  }

  private tookTooLong(cause?: unknown): MillraceError {
    return new MillraceError(
      'UPLOAD_TOO_LARGE',
      `the ingest queue could not take the upload within ${this.timeoutMs / 1000} s; nothing of it was stored; split it`,
      { cause },
    );
  }
}

async function sendWithin(
  transaction: Transaction,
  { topic, partition, messages }: Outgoing,
): Promise<bigint> {
  const [sent] = await transaction.send({
    topic,
    acks: -1,
    compression: CompressionTypes.None,
    messages: messages.map((message) => ({ ...message, partition })),
  });
  return offsetOf(sent);
}

/** Producers for transactions without a name; each does one at a time. */
export class TransactionPool {
  private readonly free: TransactionalProducer[];
  private readonly all: readonly TransactionalProducer[];
  private readonly waiting: ((producer: TransactionalProducer) => void)[] = [];

  /** @param ids stable across restarts of a node, so that what a crash left open ends with its start. */
  constructor(kafka: Kafka, ids: readonly string[]) {
    this.all = ids.map((id) => new TransactionalProducer(kafka, id));
    this.free = [...this.all];
  }

  async takeOver(): Promise<void> {
    await Promise.all(this.all.map((producer) => producer.takeOver()));
  }

  /** @param bytes of all that `work` sends. */
  async run<Result>(bytes: number, work: (send: SendWithin) => Promise<Result>): Promise<Result> {
    const producer =
      this.free.pop() ??
      (await new Promise<TransactionalProducer>((resolve) => this.waiting.push(resolve)));
    const sized = await producer.sized(bytes);
    try {
      return await sized.run(work);
    } finally {
      if (sized !== producer) await sized.discard();
      const next = this.waiting.shift();
      if (next) next(producer);
      else this.free.push(producer);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((producer) => producer.discard()));
  }
}
