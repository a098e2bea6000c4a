import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Message } from 'kafkajs';
import { writeAccessLog } from '../fixtures/access-log.js';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';
import { familyProcessorSeconds, processorSeconds } from './processor-time.js';
import { report } from './report.js';

const { Kafka, logLevel } = kafkajs;

/** `BENCH=short` is for CI: the same, with fewer lines. */
const SHORT = process.env.BENCH === 'short';
const LINES = SHORT ? 40_000 : 1_000_000;
/** A producer's batch of lines, and what one request to the broker holds of single ones. */
const BATCH_BYTES = 800_000;
const LINES_A_REQUEST = 4000;
const LOOK_MS = 250;

/** Messages of one line each, and of 0.8 MB, wait in a topic when a warm server begins to read it. */
describe('messages of other producers', () => {
  let kafka: KafkaServer;
  let directory: string;
  let lines: Buffer[];

  beforeAll(async () => {
    kafka = await KafkaServer.start();
    directory = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
    const file = join(directory, 'access.log');
    await writeAccessLog(file, LINES);
    lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => Buffer.from(line));
  }, 120_000);
  afterAll(async () => {
    await kafka.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (dataDirectory: string, more: Record<string, string> = {}): Promise<Server> =>
    startServer({ dataDirectory, variables: { KAFKA_BROKERS: kafka.brokers, ...more } });

  const send = async (namespace: string, requests: readonly Message[][]): Promise<void> => {
    const client = new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING });
    const producer = client.producer();
    await producer.connect();
    for (const messages of requests)
      await producer.send({ topic: `${namespace}.uploads`, messages });
    await producer.disconnect();
  };

  it.each(['one line', '0.8 MB'])(
    'are stored from a topic, %s each',
    async (size) => {
      const dataDirectory = mkdtempSync(join(directory, 'millrace-'));
      const namespace = basename(dataDirectory);
      // The first start makes the topics, and reads none of other producers.
      await (await start(dataDirectory)).stop();
      const headers = { organization: 'default', stream: 'logs', format: 'ndjson' };
      const requests = size === 'one line' ? inRequests(lines, headers) : inBatches(lines, headers);
      await send(namespace, requests);
      const pid = kafka.pid;
      const broker = processorSeconds(pid);
      const server = await start(dataDirectory, { KAFKA_UPLOAD_ORGANIZATIONS: 'default' });
      try {
        const before = familyProcessorSeconds(server.process.pid ?? 0);
        const begun = performance.now();
        await until(async () => {
          // Each look costs what an upload of hundreds of lines costs.
          await sleep(LOOK_MS);
          return (await stored(server)) >= LINES;
        }, 240_000);
        const seconds = (performance.now() - begun) / 1000;
        const ours = familyProcessorSeconds(server.process.pid ?? 0) - before;
        expect(await stored(server)).toBe(LINES);
        const bytes = lines.reduce((all, line) => all + line.length + 1, 0);
        const brokers = processorSeconds(pid) - broker;
        report(`Messages of other producers, ${size} each`, [
          ['lines', LINES.toLocaleString('en')],
          ['bytes', `${Math.round(bytes / 1e6)} MB`],
          ['until queryable', `${seconds.toFixed(2)} s`],
          ['lines a second', Math.round(LINES / seconds).toLocaleString('en')],
          ['MB a second', (bytes / 1e6 / seconds).toFixed(1)],
          ['processor time: ours, the broker’s', `${ours.toFixed(1)} s, ${brokers.toFixed(1)} s`],
          [
            'MB a second of two cores less the broker’s',
            (bytes / 1e6 / (seconds - brokers / 2)).toFixed(1),
          ],
        ]);
      } finally {
        await server.stop();
      }
    },
    400_000,
  );
});

async function stored({ client }: Server): Promise<number> {
  const answer = await client.call('/api/default/sql', {
    body: 'SELECT count() AS n FROM logs',
  });
  return answer.status === 200 ? answer.json<[{ n: number }]>()[0].n : 0;
}

function inRequests(lines: readonly Buffer[], headers: Message['headers'] & object): Message[][] {
  const requests: Message[][] = [];
  for (let from = 0; from < lines.length; from += LINES_A_REQUEST)
    requests.push(lines.slice(from, from + LINES_A_REQUEST).map((value) => ({ value, headers })));
  return requests;
}

function inBatches(lines: readonly Buffer[], headers: Message['headers'] & object): Message[][] {
  const requests: Message[][] = [];
  let batch: Buffer[] = [];
  let bytes = 0;
  const close = (): void => {
    if (batch.length > 0) requests.push([{ value: Buffer.concat(batch), headers }]);
    [batch, bytes] = [[], 0];
  };
  for (const line of lines) {
    batch.push(line, Buffer.from('\n'));
    bytes += line.length + 1;
    if (bytes >= BATCH_BYTES) close();
  }
  close();
  return requests;
}
