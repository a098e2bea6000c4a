import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';
import { certain } from '@app/platform';

export interface Topics {
  /** Columnar batches, on their way to the warehouse. */
  readonly batches: string;
  /** Names of appends with what was answered, for as long as they are kept. */
  readonly names: string;
  /** One record for each time that a consumer was given a partition: its offset is the epoch. */
  readonly epochs: string;
  /** Tells this queue from others. */
  readonly incarnation: string;
  /** Tells where other programs put what they upload. */
  readonly uploads: string;
  /** The topic of messages that belong nowhere, each with the reason. */
  readonly deadLetter: string;
}

export const topicsOf = (namespace: string): Topics => ({
  batches: `${namespace}.batches`,
  names: `${namespace}.append-names`,
  epochs: `${namespace}.epochs`,
  incarnation: `${namespace}.incarnation`,
  uploads: `${namespace}.uploads`,
  deadLetter: `${namespace}.dead-letter`,
});

/** The consumer group of the writers. */
export const writersOf = (namespace: string): string => `${namespace}.writers`;

const HOUR_MS = 60 * 60 * 1000;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const setting = (name: string, value: number): { name: string; value: string } => ({
  name,
  value: String(value),
});

/** The topics as they are made where there are none; what is there stays as its operators made it. */
function wanted(topics: Topics, partitions: number): ITopicConfig[] {
  return [
    {
      topic: topics.batches,
      numPartitions: partitions,
      configEntries: [
        // Records are kept until they are written, and are then deleted by offset.
        setting('retention.ms', -1),
        setting('retention.bytes', -1),
        setting('max.message.bytes', BATCH_BYTES_MAX),
      ],
    },
    {
      topic: topics.names,
      numPartitions: partitions,
      configEntries: [setting('retention.ms', 25 * HOUR_MS), setting('segment.ms', HOUR_MS)],
    },
    {
      topic: topics.epochs,
      numPartitions: 1,
      configEntries: [setting('retention.ms', HOUR_MS), setting('segment.ms', HOUR_MS)],
    },
    { topic: topics.incarnation, numPartitions: 1, configEntries: [setting('retention.ms', -1)] },
    { topic: topics.uploads, numPartitions: partitions },
    {
      topic: topics.deadLetter,
      numPartitions: 1,
      configEntries: [setting('retention.ms', -1), setting('max.message.bytes', BATCH_BYTES_MAX)],
    },
  ];
}

/** Makes the topics that are not there. @returns how many partitions those of batches and names have. */
export async function ensureTopics(
  admin: Admin,
  topics: Topics,
  partitions: number,
): Promise<{ readonly batches: number; readonly names: number }> {
  const there = new Set(await admin.listTopics());
  const missing = wanted(topics, partitions).filter(({ topic }) => !there.has(topic));
  if (missing.length > 0) {
    const created = { topics: missing.map((topic) => ({ replicationFactor: -1, ...topic })) };
    // False: another node made them meanwhile.
    await admin.createTopics({ ...created, waitForLeaders: true });
  }
  const found = await admin.fetchTopicMetadata({ topics: Object.values(topics) as string[] });
  const count = (name: string): number =>
    certain(
      found.topics.find((topic) => topic.name === name),
      `topic ${name}`,
    ).partitions.length;
  return { batches: count(topics.batches), names: count(topics.names) };
}

/** Reads the number of bytes that one record batch of the topic may have. */
export async function messageBytesMax(admin: Admin, topic: string): Promise<number> {
  const name = 'max.message.bytes';
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: [name] }],
  });
  const entry = resources[0]?.configEntries.find(({ configName }) => configName === name);
  return Number(entry?.configValue ?? 1_000_000);
}
