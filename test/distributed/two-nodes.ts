import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { startServer, type Server } from '../server/start-server.js';

const TIMEOUT_MS = 240_000;

/** The nodes of the tests of a `describe`. */
interface NodesUnderTest {
  readonly nodes: () => TwoNodes;
  /** A node may be started again; this is the process that runs in its place now. */
  readonly a: Server;
  readonly b: Server;
}

/** The files of the nodes' programs, where they are of other versions. */
type Programs = readonly [string | undefined, string | undefined];

/** Starts two nodes before the first test of a `describe`, and ends them after the last. */
export function nodesUnderTest(
  programs: () => Programs = () => [undefined, undefined],
): NodesUnderTest {
  let started: TwoNodes | undefined;
  beforeAll(async () => {
    started = await TwoNodes.start(programs());
  }, TIMEOUT_MS);
  afterAll(() => started?.dispose(), TIMEOUT_MS);
  const nodes = (): TwoNodes => {
    if (!started) throw new Error('the nodes are not started before the first test');
    return started;
  };
  return { nodes, a: now(() => nodes().node(0)), b: now(() => nodes().node(1)) };
}

const now = (server: () => Server): Server => ({
  get url() {
    return server().url;
  },
  get process() {
    return server().process;
  },
  get dataDirectory() {
    return server().dataDirectory;
  },
  get client() {
    return server().client;
  },
  output: () => server().output(),
  stop: () => server().stop(),
  kill: () => server().kill(),
});

/** Two servers, each a process with a data directory of its own, on stores that they share: real Kafka, and doubles of ClickHouse and EventStoreDB. */
export class TwoNodes {
  private readonly secretKey = randomBytes(32).toString('base64');
  private readonly servers: (Server | undefined)[] = [undefined, undefined];

  private constructor(
    private readonly directory: string,
    private readonly kafka: KafkaServer | undefined,
    private readonly brokers: string,
    readonly events: EventStoreDbDouble,
    readonly clickHouse: ClickHouseDouble,
  ) {}

  /** Both are started at the same moment: nobody is there before. */
  static async start(programs: Programs): Promise<TwoNodes> {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-nodes-'));
    const given = process.env.KAFKA_BROKERS;
    const [kafka, events, clickHouse] = await Promise.all([
      given === undefined ? KafkaServer.start() : undefined,
      EventStoreDbDouble.start(),
      ClickHouseDouble.start(join(directory, 'clickhouse')),
    ]);
    const brokers = given ?? kafka?.brokers ?? '';
    const nodes = new TwoNodes(directory, kafka, brokers, events, clickHouse);
    const started = await Promise.allSettled(
      ([0, 1] as const).map((index) => nodes.startNode(index, {}, programs[index])),
    );
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed?.status !== 'rejected') return nodes;
    await nodes.dispose();
    throw failed.reason;
  }

  node(index: 0 | 1): Server {
    const server = this.servers[index];
    if (!server) throw new Error(`node ${index} does not run`);
    return server;
  }

  async startNode(
    index: 0 | 1,
    variables: Readonly<Record<string, string>> = {},
    main?: string,
  ): Promise<Server> {
    const server = await startServer({
      dataDirectory: this.dataDirectory(index),
      main,
      variables: {
        ...this.variables(),
        ...variables,
      },
    });
    this.servers[index] = server;
    return server;
  }

  /** Every process of the cluster gets these variables. */
  variables(): Record<string, string> {
    return {
      KAFKA_BROKERS: this.brokers,
      KAFKA_NAMESPACE: basename(this.directory),
      EVENTSTORE_URL: this.events.url,
      CLICKHOUSE_URL: this.clickHouse.url,
      CLICKHOUSE_BACKUPS: "File('{name}')",
      MILLRACE_SECRET_KEY: this.secretKey,
      MILLRACE_LOG_LEVEL: 'error',
    };
  }

  dataDirectory(index: 0 | 1): string {
    return join(this.directory, `node${index}`);
  }

  async dispose(): Promise<void> {
    for (const server of this.servers) {
      server?.process.kill('SIGCONT');
      await server?.kill();
    }
    await this.clickHouse.kill();
    await this.events.stop();
    await this.kafka?.dispose();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
