import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import kafkajs, { type Message } from 'kafkajs';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { OtlpDouble, type ReceivedSpan } from '../doubles/otlp/otlp-double.js';
import { sharedBroker, type Broker } from '../server/kafka/kafka-server.js';
import { startServer, type Server } from '../server/start-server.js';
import { startWriter } from '../server/start-writer.js';
import { until } from '../server/until.js';

const TIMEOUT_MS = 120_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

describe('traces, through Kafka into the writer', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-traces-'));
  /**
   * Functions that end what was started, the last one first, however far the start came, because
   * jest waits for it.
   */
  const ends: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  let kafka: Broker;
  let collector: OtlpDouble;
  let api: Server;

  beforeAll(async () => {
    kafka = await sharedBroker();
    ends.push(() => kafka.dispose());
    const events = await EventStoreDbDouble.start();
    ends.push(() => events.stop());
    const tables = await ClickHouseDouble.start(join(directory, 'tables'));
    ends.push(() => tables.kill());
    collector = await OtlpDouble.start();
    ends.push(() => collector.stop());
    const variables = {
      KAFKA_BROKERS: kafka.brokers,
      KAFKA_NAMESPACE: basename(directory),
      KAFKA_UPLOAD_ORGANIZATIONS: 'default',
      EVENTSTORE_URL: events.url,
      CLICKHOUSE_URL: tables.url,
      MILLRACE_SECRET_KEY: randomBytes(32).toString('base64'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    api = await startServer({
      dataDirectory: join(directory, 'api'),
      variables: { ...variables, MILLRACE_ROLES: 'api,projector', MILLRACE_LOG_LEVEL: 'info' },
    });
    ends.push(() => api.kill());
    const writer = await startWriter(join(directory, 'writer'), variables);
    ends.push(() => writer.kill());
  }, TIMEOUT_MS);
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  const spansOf = (traceId: string): ReceivedSpan[] =>
    collector.spans.filter((span) => span.traceId === traceId);

  /** Lists the spans above each insert, from the root or from a span that is not here. */
  const waysToInserts = (spans: readonly ReceivedSpan[]): string[][] => {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const way = ({ parentSpanId = '', service, name }: ReceivedSpan): string[] => {
      const parent = byId.get(parentSpanId);
      return [...(parent ? way(parent) : [parentSpanId]), `${service}: ${name}`];
    };
    return spans.filter(({ name }) => name === 'insert').map(way);
  };

  it(
    'an upload is one tree, from its caller to the insert in another process',
    async () => {
      const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'request-7' };
      await api.client.upload('logs', [{ a: 1 }, { a: 2 }], headers);
      await until(async () => spansOf(TRACE).some(({ name }) => name === 'insert'));
      await until(async () => spansOf(TRACE).some(({ name }) => name.startsWith('POST')));
      const spans = spansOf(TRACE);
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      const route = 'millrace-api: POST /api/:org/:stream/_json';
      expect(waysToInserts(spans)).toEqual([
        [
          CALLER,
          route,
          'millrace-api: accept group',
          'millrace-api: enqueue',
          'millrace-writer: insert',
        ],
      ]);
      const root = spans.find(({ name }) => name.startsWith('POST'));
      expect(root).toMatchObject({
        parentSpanId: CALLER,
        attributes: { 'millrace.request_id': 'request-7', 'http.response.status_code': 200 },
      });
      // The parent of each span is there, or belongs to the caller.
      const orphans = spans.filter(
        ({ parentSpanId = '' }) => parentSpanId !== CALLER && !byId.has(parentSpanId),
      );
      expect(orphans).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'messages of other programs go on with the traces they bring, or begin their own',
    async () => {
      const trace = TRACE.replace('4bf9', '6bf9');
      const keyed = TRACE.replace('4bf9', '7bf9');
      const message = (stream: string, headers: Record<string, string> = {}): Message => ({
        key: 'one partition',
        headers: { organization: 'default', stream, ...headers },
        value: '{"a":1}',
      });
      const of = (id: string) => ({ traceparent: `00-${id}-${CALLER}-01` });
      const { Kafka, logLevel } = kafkajs;
      const brokers = kafka.brokers.split(',');
      const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer();
      await producer.connect();
      const messages = [
        message('without'),
        message('with', of(trace)),
        message('keyed', { ...of(keyed), 'idempotency-key': 'k' }),
      ];
      const topic = `${basename(directory)}.uploads`;
      await producer.send({ topic, messages });
      await producer.disconnect();
      const taken = () => collector.spans.filter(({ name }) => name === 'take messages');
      const begun = () => taken().find(({ traceId }) => traceId !== trace && traceId !== keyed);
      const inserted = (id: string | undefined) => waysToInserts(spansOf(id ?? '')).length > 0;
      await until(async () => [trace, keyed, begun()?.traceId].every(inserted));
      const [from, place] = String(begun()?.attributes['millrace.message']).split(/\/(.*)/);
      expect([from, place]).toEqual([topic, expect.stringMatching(/^\d+\/\d+$/)]);
      const [take, insert] = ['millrace-api: take messages', 'millrace-writer: insert'];
      const ways = [begun()?.traceId, trace, keyed].map((id) => waysToInserts(spansOf(id ?? '')));
      expect(ways).toEqual([
        [['', take, insert]],
        [[CALLER, take, insert]],
        [[CALLER, take, 'millrace-api: enqueue', insert]],
      ]);
    },
    TIMEOUT_MS,
  );

  it('a query is one tree too, and its failure’s log line names the trace', async () => {
    const trace = TRACE.replace('4bf9', '5bf9');
    const headers = { traceparent: `00-${trace}-${CALLER}-01` };
    const answer = await api.client.call('/api/default/sql', { body: 'SELECT nothing', headers });
    expect(answer.status).toBe(400);
    await until(async () => spansOf(trace).some(({ name }) => name.startsWith('POST')));
    expect(spansOf(trace).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['guard', 'POST /api/:org/sql']),
    );
    const line = api
      .output()
      .split('\n')
      .find((each) => each.includes(trace));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      traceId: trace,
      requestId: answer.headers['x-request-id'],
    });
  });
});
