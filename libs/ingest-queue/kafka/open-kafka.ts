import { setTimeout as sleep } from 'node:timers/promises';
import type { ForeignMessages } from '../foreign-messages.js';
import type { IngestQueue } from '../ingest-queue.js';
import { AppendNames } from './append-names-topic.js';
import { registerCodecs } from './client/codecs.js';
import { BatchConsumer } from './consume/consume-batches.js';
import { KafkaForeignMessages, type ForeignOptions } from './consume/consume-foreign.js';
import { GroupProgress } from './consume/group-progress.js';
import { firstPartition } from './incarnation.js';
import { kafkaClient, type ClientOptions } from './client/kafka-client.js';
import { KafkaIngestQueue } from './kafka-ingest-queue.js';
import { PlainProducer } from './client/plain-producer.js';
import { readOnlyCommitted } from './client/read-only-committed.js';
import { BESIDE_PAYLOAD_BYTES, RecordSender } from './record-sender.js';
import { ensureTopics, messageBytesMax, topicsOf, writersOf } from './topics.js';
import { TransactionPool } from './transactions.js';
import { WrittenRecords } from './written-records.js';

interface KafkaOptions extends ClientOptions {
  /** The limit of the waiting payload, in bytes. */
  readonly maxBytes: number;
  /** The id of this node. It survives a restart, and no other node has it. */
  readonly nodeId: string;
  /** The prefix of the names of topics, groups and transactions. */
  readonly namespace?: string;
  /** The number of partitions for topics that do not exist yet. */
  readonly partitions?: number;
  /** The clock for the age of names of appends. */
  readonly now?: () => number;
}

const READY_WITHIN_MS = 60_000;
const READY_STEP_MS = 200;
const PARTITIONS = 12;
/** This many appends that need a transaction run at once. */
const TRANSACTIONS = 4;

export interface OpenKafka {
  readonly queue: IngestQueue;
  readonly foreign: ForeignMessages;
}

/**
 * Creates missing topics.
 * @throws {UnknownClientError} before it connects, when exactly-once cannot rest on the client
 * @throws when no broker answers
 */
export async function openKafka(options: KafkaOptions): Promise<OpenKafka> {
  const { log, maxBytes, nodeId, namespace = 'millrace', partitions = PARTITIONS } = options;
  const { now = Date.now } = options;
  registerCodecs();
  await readOnlyCommitted();
  const kafka = kafkaClient(options);
  const topics = topicsOf(namespace);
  const groupId = writersOf(namespace);
  const admin = kafka.admin();
  const producer = new PlainProducer(kafka);
  const ids = Array.from({ length: TRANSACTIONS }, (_, slot) => `${namespace}.${nodeId}.${slot}`);
  const transactions = new TransactionPool(kafka, ids);
  const progress = new GroupProgress({ admin, log, groupId, topic: topics.batches, maxBytes });
  let names: AppendNames | undefined;
  try {
    await admin.connect();
    const count = await whenReady(() => ensureTopics(admin, topics, partitions), isSettingUp);
    const starting = new AppendNames({
      kafka,
      log,
      producer,
      namespace,
      topic: topics.names,
      partitions: count.names,
      now,
    });
    names = starting;
    const incarnation = { kafka, admin, log, producer, namespace, topic: topics.incarnation };
    // The client does not try again to join a group, so the brokers must know their groups first.
    await whenReady(() => progress.poll());
    const [bytesMax, first] = await Promise.all([
      whenReady(() => messageBytesMax(admin, topics.batches), isSettingUp),
      whenReady(() => firstPartition(incarnation)),
      whenReady(() => transactions.takeOver()),
      whenReady(() => starting.start()),
    ]);
    const sender = new RecordSender({
      producer,
      transactions,
      topic: topics.batches,
      partitions: count.batches,
      messageBytesMax: bytesMax,
    });
    const written = new WrittenRecords({ admin, log, progress, topic: topics.batches });
    const fetchBytes = bytesMax + BESIDE_PAYLOAD_BYTES;
    const member = { kafka, log, producer, progress, groupId, topics, fetchBytes };
    const queue = new KafkaIngestQueue({
      sender,
      names,
      progress,
      consume: (bounds) =>
        new BatchConsumer({ ...member, firstPartition: first }, bounds).deliveries(),
      disconnect: async () => {
        written.close();
        await Promise.all([starting.close(), transactions.close()]);
        await producer.close();
        await admin.disconnect();
      },
      firstPartition: first,
    });
    const sendAll: ForeignOptions['sendAll'] = (records, send) => sender.sendAll(records, send);
    const foreign = new KafkaForeignMessages({ kafka, admin, log, namespace, topics, sendAll });
    return { queue, foreign };
  } catch (error) {
    progress.close();
    await Promise.all([names?.close(), transactions.close(), producer.close()]);
    await admin.disconnect().catch(() => undefined);
    throw error;
  }
}

/**
 * A broker that has just started does not know its groups, and other things, at first, so it is
 * asked again.
 */
async function whenReady<Answer>(
  ask: () => Promise<Answer>,
  isPassing: (error: unknown) => boolean = () => true,
): Promise<Answer> {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > until || !isPassing(error)) throw error;
    }
    await sleep(READY_STEP_MS);
  }
}

const SETTING_UP = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);

/** Not every broker knows at once a topic that this or another node has just created. */
function isSettingUp(error: unknown): boolean {
  const { type, cause } = error as { type?: string; cause?: unknown };
  if (type !== undefined && SETTING_UP.has(type)) return true;
  return cause instanceof Error && isSettingUp(cause);
}
