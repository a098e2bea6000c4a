import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import kafkajs, { type KafkaMessage, type Message, type Producer } from 'kafkajs';
import { KafkaServer } from '../server/kafka/kafka-server.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const { Kafka, CompressionTypes, logLevel } = kafkajs;

const RECORD_BYTES = 100_000;
/** The limit of streams. Only the test of the limit reaches it. */
const STREAMS = 40;

describe('Kafka', () => {
  let kafka: KafkaServer | undefined;
  let client: kafkajs.Kafka;
  let producer: Producer;
  let server: Server;
  let dataDirectory: string;
  let variables: Record<string, string>;
  let namespace: string;

  beforeAll(async () => {
    const given = process.env.KAFKA_BROKERS;
    if (given === undefined) kafka = await KafkaServer.start();
    const brokers = given ?? kafka?.brokers ?? '';
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    namespace = basename(dataDirectory);
    variables = {
      KAFKA_BROKERS: brokers,
      KAFKA_UPLOAD_ORGANIZATIONS: 'default, other',
      MILLRACE_MAX_RECORD_BYTES: String(RECORD_BYTES),
      MILLRACE_ORG_STREAMS: String(STREAMS),
    };
    server = await startServer({ dataDirectory, variables });
    client = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    producer = client.producer();
    await producer.connect();
  }, 120_000);
  afterAll(async () => {
    await producer.disconnect();
    await server.stop();
    await kafka?.dispose();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const to = (stream: string, format?: string, more: Record<string, string> = {}) => ({
    organization: 'default',
    stream,
    ...(format === undefined ? {} : { format }),
    ...more,
  });
  const send = (messages: Message[], compression = CompressionTypes.None) =>
    producer.send({
      topic: `${namespace}.uploads`,
      // Messages with one key go to one partition and keep their order.
      messages: messages.map((message) => ({ key: 'same', ...message })),
      compression,
    });
  const has = (stream: string, rows: number) =>
    until(async () => {
      const answer = await server.client.call('/api/default/sql', {
        body: `SELECT count() AS n FROM \`${stream}\``,
      });
      return answer.status === 200 && answer.json<[{ n: number }]>()[0].n >= rows;
    });

  /**
   * Waits until there are so many dead letters with this reason, and gives all of them. Those of
   * earlier tests count, too.
   */
  async function deadLetters(wanted: number, reason = /^/) {
    const consumer = client.consumer({ groupId: `${namespace}-look-${Date.now()}` });
    await consumer.connect();
    await consumer.subscribe({ topics: [`${namespace}.dead-letter`], fromBeginning: true });
    const found: { value: string; headers: Record<string, string>; sent: KafkaMessage }[] = [];
    await consumer.run({
      eachMessage: ({ message }) => {
        const { value, headers = {} } = message;
        const texts = Object.entries(headers).map(([name, text]) => [name, String(text)]);
        found.push({
          value: value?.toString() ?? '',
          headers: Object.fromEntries(texts) as Record<string, string>,
          sent: message,
        });
        return Promise.resolve();
      },
    });
    const those = () => found.filter(({ headers }) => reason.test(headers['reason'] ?? ''));
    await until(() => Promise.resolve(those().length >= wanted));
    await consumer.disconnect();
    return those();
  }

  it('stores JSON, NDJSON and CSV of other producers, however compressed', async () => {
    await send([
      { headers: to('mixed'), value: '{"a":1,"b":"x"}' },
      { headers: to('mixed', 'json'), value: '[{"a":2},{"a":3,"b":"y"}]' },
      { headers: to('mixed', 'ndjson'), value: '{"a":4}\n{"a":5}\n' },
      { headers: to('mixed', 'csv'), value: 'a,b\n6,z\n7,\n' },
    ]);
    await send([{ headers: to('mixed'), value: '{"a":8}' }], CompressionTypes.GZIP);
    await has('mixed', 8);
    expect(await server.client.sql('SELECT a, b FROM mixed ORDER BY a')).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: null },
      { a: 3, b: 'y' },
      { a: 4, b: null },
      { a: 5, b: null },
      { a: 6, b: 'z' },
      { a: 7, b: null },
      { a: 8, b: null },
    ]);
  });

  it('looks at values for columns of declared types, and knows days of CSV', async () => {
    const columns = { at: 'Timestamp(Millisecond, UTC)', price: 'Decimal128(10, 2)' };
    const settings = await server.client.call('/api/default/typed/settings', {
      body: JSON.stringify({ columns }),
    });
    expect(settings.status).toBe(200);
    await send([
      { headers: to('typed'), value: '{"at":"2024-02-29T12:00:00+01:00","price":12.30}' },
      { headers: to('typed'), value: '[{"price":"1.005"},{"at":1700000000123}]' },
      { headers: to('typed', 'csv'), value: 'price,day\n1e2,2024-02-29\n' },
    ]);
    await has('typed', 3);
    expect(
      await server.client.sql(
        'SELECT toString(at) AS at, toString(price) AS price, toString(day) AS day FROM typed ORDER BY day IS NULL, price IS NULL',
      ),
    ).toEqual([
      { at: null, price: '100', day: '2024-02-29' },
      { at: '2024-02-29 11:00:00.000', price: '12.3', day: null },
      { at: '2023-11-14 22:13:20.123', price: null, day: null },
    ]);
    const kept = "SELECT record FROM _rejected WHERE stream = 'typed'";
    expect(await server.client.sql(kept)).toEqual([{ record: '{"price":"1.005"}' }]);
  });

  it('moves no record that still does not fit, also when three retries come at once, and leaves the column an integer', async () => {
    await server.client.upload('again', '{"a":9007199254740993}');
    const rejected = ['{"a":0.5}', '{"a":"text"}', '{"a":1.5}'];
    await server.client.upload('again', `[${rejected.join(',')}]`);
    const retry = async (): Promise<number> => {
      const path = '/api/default/again/_rejected/retry?wait=true';
      const answer = await server.client.call(path, { method: 'POST' });
      expect(answer.status).toBe(200);
      return answer.json<{ status: [{ successful: number }] }>().status[0].successful;
    };
    expect(await Promise.all([retry(), retry(), retry()])).toEqual([0, 0, 0]);
    expect(await server.client.sql('SELECT toString(a) AS a FROM again')).toEqual([
      { a: '9007199254740993' },
    ]);
    const kept = "SELECT record FROM _rejected WHERE stream = 'again' ORDER BY line";
    expect(await server.client.sql(kept)).toEqual(rejected.map((record) => ({ record })));
  });

  it('keeps records that do not fit in `_rejected`, and stores what is sent with them', async () => {
    await send([
      { headers: to('strict'), value: '{"n":1}' },
      { headers: to('strict'), value: '{"n":2}\nnot JSON\n{"n":3}' },
      { headers: to('strict'), value: '[{"n":4},' },
      { headers: to('strict'), value: '{"n":5}' },
    ]);
    await has('strict', 4);
    const rejected = () =>
      server.client.sql<{ record: string }>(
        "SELECT record FROM _rejected WHERE stream = 'strict' ORDER BY record",
      );
    await until(async () => (await rejected()).length === 2);
    expect((await rejected()).map(({ record }) => record)).toEqual(['[{"n":4},', 'not JSON']);
    expect(await server.client.sql('SELECT n FROM strict ORDER BY n')).toEqual(
      [1, 2, 3, 5].map((n) => ({ n })),
    );
  });

  it('puts what belongs nowhere aside, as it came and with the reason, and goes on', async () => {
    const bytes = Buffer.from([0xff, 0x80]);
    const odd = { id: bytes, tag: ['one', 'two'], toString: 'a method of objects' };
    await send([
      { value: '{"a":1}' },
      { headers: { ...to('s'), organization: 'nowhere' }, value: '{"a":1}' },
      { headers: { ...to('s'), organization: 'other' }, value: '{"a":1}' },
      { headers: to('_audit'), value: '{"a":1}' },
      { headers: { ...to('s', 'xml'), ...odd }, value: '<a/>' },
      { headers: to('s'), value: null },
      { headers: to('after'), value: '{"a":1}' },
    ]);
    await has('after', 1);
    const dead = await deadLetters(6);
    expect(dead.map(({ headers }) => headers['reason'])).toEqual([
      'want the headers organization and stream',
      expect.stringContaining('organization nowhere may not be fed'),
      expect.stringContaining('organization other may not be fed'),
      expect.stringContaining('_audit'),
      'format xml: want one of json, ndjson, csv',
      'the message has no value',
    ]);
    expect(dead[4]).toMatchObject({ value: '<a/>', headers: { stream: 's', format: 'xml' } });
    expect(dead[4]?.headers['message']).toMatch(/\.uploads\/\d+\/\d+$/);
    const texts = ['one', 'two'].map((text) => Buffer.from(text));
    expect(dead[4]?.sent).toMatchObject({
      key: Buffer.from('same'),
      headers: { id: bytes, tag: texts },
    });
    expect(dead[5]?.sent.value).toBeNull();
  });

  it('stores a message with an idempotency-key once, by HTTP or Kafka, and says so of another', async () => {
    const keyed = to('keyed', 'json', { 'idempotency-key': 'k1' });
    await send([
      { headers: keyed, value: '[{"a":1}]' },
      { headers: keyed, value: '[{"a":1}]' },
      { headers: keyed, value: '[{"a":2}]' },
    ]);
    await has('keyed', 1);
    const byHttp = await server.client.call('/api/default/keyed/_json?wait=true', {
      body: '[{"a":1}]',
      headers: { 'idempotency-key': 'k1' },
    });
    expect(byHttp.status).toBe(200);
    const dead = await deadLetters(7);
    expect(dead.at(-1)?.headers['reason']).toContain('Idempotency-Key');
    expect(await server.client.count('keyed')).toBe(1);
  });

  it('tells idempotency-keys apart that are bytes and no text', async () => {
    const keyed = (n: number) => ({
      ...to('numbered'),
      'idempotency-key': Buffer.from([0, 0, 0, n]),
    });
    await send([0x80, 0x81, 0x80].map((n) => ({ headers: keyed(n), value: '{"a":1}' })));
    await has('numbered', 2);
    expect(await server.client.count('numbered')).toBe(2);
  });

  it('puts a message aside whose record is too large, and stores those beside it', async () => {
    const long = 'x'.repeat(RECORD_BYTES);
    await send([
      { headers: to('sized'), value: '{"a":"1"}' },
      { headers: to('sized'), value: `{"a":"2"}\n{"a":"${long}"}` },
      { headers: to('sized'), value: '{"a":"3"}' },
      { headers: to('sized', 'csv'), value: `a\n${long}x\n` },
      { headers: to('sized', 'json', { 'idempotency-key': 'k2' }), value: `{"a":"${long}"}` },
      { headers: to('sized'), value: '{"a":"4"}' },
    ]);
    await has('sized', 3);
    expect(await server.client.sql('SELECT a FROM sized ORDER BY a')).toEqual(
      ['1', '3', '4'].map((a) => ({ a })),
    );
    const dead = await deadLetters(10);
    const reasons = dead.slice(7).map(({ headers }) => headers['reason'] ?? '');
    expect(reasons.sort()).toEqual([
      expect.stringContaining(`record 1 is longer than ${RECORD_BYTES} bytes`),
      expect.stringContaining(`record 1 is longer than ${RECORD_BYTES} bytes`),
      expect.stringContaining(`record 2 is longer than ${RECORD_BYTES} bytes`),
    ]);
  });

  it('puts aside what would make one stream too many, and stores what is sent with it', async () => {
    const user = { email: 'ann@example.com', password: 'Secret-77', role: 'admin' };
    await server.client.call('/api/default/users', { body: JSON.stringify(user) });
    await server.client.call(`/api/other/users/${user.email}`, { body: '{"role":"admin"}' });
    const place = (n: number) => ({ organization: 'other', stream: `s${n}` });
    await send(
      Array.from({ length: STREAMS + 3 }, (_, n) => ({ headers: place(n), value: `{"n":${n}}` })),
    );
    const refused = await deadLetters(3, /MILLRACE_ORG_STREAMS/);
    expect(refused.map(({ headers }) => headers['organization'])).toEqual([
      'other',
      'other',
      'other',
    ]);
    const streams = await server.client.call('/api/other/streams');
    expect(streams.json<{ total: number }>().total).toBe(STREAMS);
  }, 120_000);

  it('stores thousands of small messages of several streams exactly once, through kills', async () => {
    const total = 6000;
    const streams = 5;
    const sending = (async () => {
      for (let first = 0; first < total; first += 500)
        await send(
          Array.from({ length: 500 }, (_, index) => ({
            key: String(first + index),
            headers: to(`many${(first + index) % streams}`),
            value: JSON.stringify({ n: first + index }),
          })),
        );
    })();
    for (let kill = 0; kill < 3; kill += 1) {
      await has('many0', 1 + kill * 300);
      await server.kill();
      server = await startServer({ dataDirectory, variables });
    }
    await sending;
    for (let stream = 0; stream < streams; stream += 1) {
      await has(`many${stream}`, total / streams);
      const [found] = await server.client.sql(
        `SELECT count() AS rows, uniqExact(n) AS different FROM many${stream}`,
      );
      expect(found).toEqual({ rows: total / streams, different: total / streams });
    }
  }, 180_000);

  it('takes an upload whose batches are larger than a message may be', async () => {
    const records = Array.from({ length: 3000 }, (_, n) => ({
      n,
      text: randomBytes(6000).toString('base64'),
    }));
    const body = records.map((record) => JSON.stringify(record)).join('\n');
    expect(await server.client.upload('large', body)).toMatchObject({ successful: 3000 });
    const [found] = await server.client.sql(
      'SELECT count() AS rows, uniqExact(n) AS different, uniqExact(text) AS texts FROM large',
    );
    expect(found).toEqual({ rows: 3000, different: 3000, texts: 3000 });
  });
});
