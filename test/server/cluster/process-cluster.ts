import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ClickHouseDouble } from '../../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../../doubles/eventstoredb/eventstoredb-double.js';
import { Client } from '../client.js';
import { KafkaServer, type Broker } from '../kafka/kafka-server.js';
import { ROOT } from '../start-server.js';
import { Proxy } from './proxy.js';
import { startProgram, type Program } from './start-program.js';

export interface Node extends Program {
  readonly url: string;
  /** Requests to this node as root. */
  readonly client: Client;
}

interface ClusterOptions {
  /** The proxy's port; 0 takes a free one. */
  readonly port?: number;
  /** Without a broker, the cluster starts one of its own. */
  readonly kafka?: Broker;
  /** Every program gets these, over the cluster's own. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * The topology of docker-compose.yml as processes of this machine: two API nodes behind a proxy,
 * two writers, a projector; real Kafka, and the doubles of ClickHouse and EventStoreDB.
 */
export class ProcessCluster {
  readonly nodes: Node[] = [];
  readonly writers: Program[] = [];
  private projectorProgram: Program | undefined;
  private frontDoor: Proxy | undefined;
  private readonly secretKey = randomBytes(32).toString('base64');

  private constructor(
    private readonly directory: string,
    readonly kafka: Broker,
    readonly events: EventStoreDbDouble,
    readonly clickHouse: ClickHouseDouble,
    private readonly extra: Readonly<Record<string, string>>,
  ) {}

  static async start({
    port = 0,
    variables = {},
    kafka: given,
  }: ClusterOptions = {}): Promise<ProcessCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-cluster-'));
    mkdirSync(join(directory, 'tables'));
    const [kafka, events, clickHouse] = await Promise.all([
      given ?? KafkaServer.start(),
      EventStoreDbDouble.start(),
      ClickHouseDouble.start(join(directory, 'tables')),
    ]);
    const cluster = new ProcessCluster(directory, kafka, events, clickHouse, variables);
    try {
      await cluster.startPrograms(port);
    } catch (error) {
      await cluster.kill();
      throw error;
    }
    return cluster;
  }

  get url(): string {
    return this.frontDoor?.url ?? '';
  }

  /** Requests through the proxy as root. */
  get client(): Client {
    return new Client(this.url, ROOT);
  }

  get projector(): Program {
    if (!this.projectorProgram) throw new Error('the projector does not run');
    return this.projectorProgram;
  }

  get programs(): readonly Program[] {
    const projector = this.projectorProgram ? [this.projectorProgram] : [];
    return [...this.nodes, ...this.writers, ...projector];
  }

  node(index: number): Node {
    const node = this.nodes[index];
    if (!node) throw new Error(`there is no node ${index}`);
    return node;
  }

  async startWriter(name: string): Promise<Program> {
    const data = join(this.directory, name);
    const variables = { ...this.variables(), MILLRACE_ROLES: 'writer' };
    const writer = await startProgram('ingest-writer/main.js', data, variables);
    this.writers.push(writer);
    return writer;
  }

  async startProjector(): Promise<void> {
    this.projectorProgram = await startProgram(
      'api/projector.js',
      join(this.directory, 'projector'),
      { ...this.variables(), MILLRACE_ROLES: 'projector' },
    );
  }

  /** Stops in good order: requests end, and acknowledged records are written. */
  async stop(): Promise<readonly (number | null)[]> {
    this.frontDoor?.stop();
    const codes = await Promise.all(this.nodes.map((node) => node.stop()));
    codes.push(...(await Promise.all(this.writers.map((writer) => writer.stop()))));
    if (this.projectorProgram) codes.push(await this.projectorProgram.stop());
    await this.stopStores();
    return codes;
  }

  async kill(): Promise<void> {
    this.frontDoor?.stop();
    await Promise.all(this.programs.map((program) => program.kill()));
    await this.stopStores();
  }

  private async stopStores(): Promise<void> {
    await this.clickHouse.kill();
    await this.events.stop();
    await this.kafka.dispose();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async startPrograms(port: number): Promise<void> {
    const api = {
      ...this.variables(),
      MILLRACE_ROLES: 'api',
      MILLRACE_HTTP_ADDR: '127.0.0.1:0',
    };
    const started = await Promise.allSettled([
      this.startProjector(),
      ...['api-1', 'api-2'].map((name) => this.startNode(name, api)),
      ...['writer-1', 'writer-2'].map((name) => this.startWriter(name)),
    ]);
    for (const each of started) if (each.status === 'rejected') throw each.reason;
    this.frontDoor = await Proxy.start(
      this.nodes.map(({ url }) => url),
      port,
    );
  }

  private async startNode(name: string, variables: Record<string, string>): Promise<void> {
    const program = await startProgram('api/main.js', join(this.directory, name), {
      ...variables,
      MILLRACE_ROOT_PASSWORD: ROOT.password,
      // This is longer than the proxy takes to look.
      MILLRACE_DRAIN_SECONDS: '2',
      MILLRACE_TRUSTED_PROXIES: '127.0.0.1',
    });
    const url = /listens on (\S+)/.exec(program.output())?.[1] ?? '';
    this.nodes.push({ ...program, url, client: new Client(url, ROOT) });
  }

  /** Every program of the cluster gets these variables. */
  variables(): Record<string, string> {
    return {
      KAFKA_BROKERS: this.kafka.brokers,
      KAFKA_NAMESPACE: basename(this.directory),
      EVENTSTORE_URL: this.events.url,
      CLICKHOUSE_URL: this.clickHouse.url,
      MILLRACE_SECRET_KEY: this.secretKey,
      MILLRACE_LOG_LEVEL: 'error',
      ...this.extra,
    };
  }
}
