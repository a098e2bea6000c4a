import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { ClickHouseDouble } from '../../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../../doubles/eventstoredb/eventstoredb-double.js';
import { KafkaServer } from '../../server/kafka/kafka-server.js';
import { startServer, type Server } from '../../server/start-server.js';
import { startWriter, type Writer } from '../../server/start-writer.js';

const NAMESPACE = 'millrace';

/**
 * The distributed way on one machine: real Kafka; doubles of ClickHouse and EventStoreDB; an API
 * that does not write, and two writers.
 */
export class Cluster {
  private readonly directory = mkdtempSync(join(tmpdir(), 'millrace-cluster-'));
  private readonly writers: (Writer | undefined)[] = [undefined, undefined];
  private apiServer: Server | undefined;

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
    await cluster.startApi();
    await Promise.all([cluster.startWriter(0), cluster.startWriter(1)]);
    return cluster;
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
        MILLRACE_ROLES: 'api',
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

  /** Lets the writers begin anew with everything that Kafka still has. The writers must be stopped. */
  async rewind(): Promise<void> {
    const { Kafka, logLevel } = kafkajs;
    const admin = new Kafka({
      brokers: [this.kafka.brokers],
      logLevel: logLevel.NOTHING,
    }).admin();
    await admin.connect();
    const topic = `${NAMESPACE}.batches`;
    const offsets = await admin.fetchTopicOffsets(topic);
    const partitions = offsets.map(({ partition, low }) => ({ partition, offset: low }));
    await admin.setOffsets({ groupId: `${NAMESPACE}.writers`, topic, partitions });
    await admin.disconnect();
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

  private variables(): Record<string, string> {
    return {
      KAFKA_BROKERS: this.kafka.brokers,
      KAFKA_NAMESPACE: NAMESPACE,
      EVENTSTORE_URL: this.events.url,
      CLICKHOUSE_URL: this.clickHouse.url,
    };
  }
}
