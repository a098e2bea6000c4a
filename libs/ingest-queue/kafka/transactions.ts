import { CompressionTypes, type Kafka, type Producer, type Transaction } from 'kafkajs';
import { RETRY } from './kafka-client.js';
import { offsetOf, type Outgoing } from './plain-producer.js';

/** The broker ends a transaction that nobody ends; until then readers wait in its partitions. */
const TRANSACTION_TIMEOUT_MS = 60_000;

/** @returns the first message's offset. */
export type SendWithin = (outgoing: Outgoing) => Promise<bigint>;

/** The producer of one transactional id: at its first use it ends what another of this id has left open. */
export class TransactionalProducer {
  private current: Promise<Producer> | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly id: string,
  ) {}

  /** Fences any other producer of this id and ends its transaction, one way or the other. */
  async takeOver(): Promise<void> {
    await this.discard();
    await this.connected();
  }

  /** Commits what `work` has sent, or nothing of it. */
  async run<Result>(
    work: (send: SendWithin, transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const producer = await this.connected();
    let transaction: Transaction | undefined;
    try {
      transaction = await producer.transaction();
      const open = transaction;
      const result = await work((outgoing) => sendWithin(open, outgoing), open);
      await open.commit();
      return result;
    } catch (error) {
      if (transaction?.isActive() === true) await transaction.abort().catch(() => undefined);
      // Whether it was ended may be unknown: the next one of this id ends it.
      await this.discard();
      throw error;
    }
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
      transactionTimeout: TRANSACTION_TIMEOUT_MS,
      allowAutoTopicCreation: false,
      retry: RETRY,
    });
    await producer.connect();
    // The client asks for its id, which is what fences others, only when a transaction begins.
    const begun = await producer.transaction();
    await begun.abort();
    return producer;
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

  async run<Result>(work: (send: SendWithin) => Promise<Result>): Promise<Result> {
    const producer =
      this.free.pop() ??
      (await new Promise<TransactionalProducer>((resolve) => this.waiting.push(resolve)));
    try {
      return await producer.run(work);
    } finally {
      const next = this.waiting.shift();
      if (next) next(producer);
      else this.free.push(producer);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((producer) => producer.discard()));
  }
}
