import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';
import { certain } from '@app/platform';

export interface Topics {
  /** Columnar batches, on their way to the warehouse. */
  readonly batches: string;
  /** Names of appends with their answers, for as long as they are kept. */
  readonly names: string;
  /** One record for each time that a consumer was given a partition: its offset is the epoch. */
  readonly epochs: string;
  /** The number that distinguishes this queue from others. */
  readonly incarnation: string;
  /** The topic to which other programs send their uploads. */
  readonly uploads: string;
  /** The topic of messages without a valid destination, each with the reason. */
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

/** The settings of topics that we create. Existing topics stay as their operators made them. */
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

/**
 * Creates missing topics.
 * @returns the number of partitions of the topics for batches and names.
 */
export async function ensureTopics(
  admin: Admin,
  topics: Topics,
  partitions: number,
): Promise<{ readonly batches: number; readonly names: number }> {
  const there = new Set(await admin.listTopics());
  const missing = wanted(topics, partitions).filter(({ topic }) => !there.has(topic));
  if (missing.length > 0) {
    const created = { topics: missing.map((topic) => ({ replicationFactor: -1, ...topic })) };
    // False: another node created them meanwhile.
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
