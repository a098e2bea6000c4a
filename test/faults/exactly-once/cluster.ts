import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs, { type Admin } from 'kafkajs';
import { ClickHouseDouble } from '../../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../../doubles/eventstoredb/eventstoredb-double.js';
import { KafkaServer } from '../../server/kafka/kafka-server.js';
import { startServer, type Server } from '../../server/start-server.js';
import { startWriter, type Writer } from '../../server/start-writer.js';
import { until } from '../../server/until.js';

const NAMESPACE = 'millrace';

/**
 * The distributed way on one machine: real Kafka; doubles of ClickHouse and EventStoreDB; an API
 * that does not write, and two writers.
 */
export class Cluster {
  private readonly directory = mkdtempSync(join(tmpdir(), 'millrace-cluster-'));
  private readonly writers: (Writer | undefined)[] = [undefined, undefined];
  private apiServer: Server | undefined;
  private readonly secretKey = randomBytes(32).toString('base64');

  private constructor(
    readonly kafka: KafkaServer,
    private readonly events: EventStoreDbDouble,
    private clickHouse: ClickHouseDouble,
    private readonly tables: string,
  ) {}

  static async start(): Promise<Cluster> {
    const tables = mkdtempSync(join(tmpdir(), 'millrace-clickhouse-'));
    const [kafka, events, clickHouse] = await Promise.all([
      KafkaServer.start(),
      EventStoreDbDouble.start(),
      ClickHouseDouble.start(tables),
    ]);
    const cluster = new Cluster(kafka, events, clickHouse, tables);
    try {
      await cluster.startApi();
      await Promise.all([cluster.startWriter(0), cluster.startWriter(1)]);
      return cluster;
    } catch (error) {
      await cluster.dispose();
      throw error;
    }
  }

  get api(): Server {
    if (!this.apiServer) throw new Error('the API does not run');
    return this.apiServer;
  }

  get namespace(): string {
    return NAMESPACE;
  }

  async startApi(): Promise<void> {
    this.apiServer = await startServer({
      dataDirectory: join(this.directory, 'api'),
      variables: {
        ...this.variables(),
        MILLRACE_ROLES: 'api,projector',
        KAFKA_UPLOAD_ORGANIZATIONS: 'default',
      },
    });
  }

  async startWriter(index: 0 | 1): Promise<void> {
    this.writers[index] = await startWriter(join(this.directory, `writer${index}`), {
      ...this.variables(),
      MILLRACE_LOG_LEVEL: 'info',
    });
  }

  writer(index: 0 | 1): Writer {
    const writer = this.writers[index];
    if (!writer) throw new Error(`writer ${index} does not run`);
    return writer;
  }

  async restartClickHouse(): Promise<void> {
    const { port } = this.clickHouse;
    await this.clickHouse.kill();
    this.clickHouse = await ClickHouseDouble.start(this.tables, port);
  }

  /** Breaks every connection; the double keeps its events in memory. */
  restartEventStore(): Promise<void> {
    return this.events.dropConnections();
  }

  /**
   * Lets the writers begin anew with everything that Kafka still has. The writers must be stopped.
   * @returns how many records will be delivered again
   */
  rewind(): Promise<number> {
    const [topic, groupId] = [`${NAMESPACE}.batches`, `${NAMESPACE}.writers`];
    return this.asAdmin(async (admin) => {
      // A writer that was killed, or stopped while it joined, is a member until its session ends.
      await until(async () => {
        const { groups } = await admin.describeGroups([groupId]);
        return groups.every(({ state }) => state === 'Empty' || state === 'Dead');
      });
      const offsets = await admin.fetchTopicOffsets(topic);
      const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const committed = new Map(group?.partitions.map((each) => [each.partition, each.offset]));
      const partitions = offsets.map(({ partition, low }) => ({ partition, offset: low }));
      await admin.setOffsets({ groupId, topic, partitions });
      return partitions.reduce((sum, { partition, offset: low }) => {
        const done = Number(committed.get(partition) ?? low) - Number(low);
        return sum + Math.max(0, done);
      }, 0);
    });
  }

  /** Counts how often a writer was given a partition up to now. */
  assignments(): Promise<number> {
    return this.asAdmin(async (admin) => {
      const [epochs] = await admin.fetchTopicOffsets(`${NAMESPACE}.epochs`);
      return Number(epochs?.high);
    });
  }

  async dispose(): Promise<void> {
    this.kafka.resume();
    await this.apiServer?.kill();
    for (const writer of this.writers) await writer?.kill();
    await this.clickHouse.kill();
    await this.events.stop();
    await this.kafka.dispose();
    for (const each of [this.directory, this.tables])
      rmSync(each, { recursive: true, force: true });
  }

  private async asAdmin<Answer>(work: (admin: Admin) => Promise<Answer>): Promise<Answer> {
    const { Kafka, logLevel } = kafkajs;
    const brokers = [this.kafka.brokers];
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  private variables(): Record<string, string> {
    return {
      KAFKA_BROKERS: this.kafka.brokers,
      KAFKA_NAMESPACE: NAMESPACE,
      MILLRACE_SECRET_KEY: this.secretKey,
      EVENTSTORE_URL: this.events.url,
      CLICKHOUSE_URL: this.clickHouse.url,
    };
  }
}
