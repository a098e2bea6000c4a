import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { pushTimeseries } from 'prometheus-remote-write';
import { compressSync } from 'snappy';
import type { Answer } from '../server/client.js';
import { ROOT, borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const LOKI = 'loki/api/v1/push?wait=true';
const PROMETHEUS = 'prometheus/api/v1/write?wait=true';
const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const { LengthDelimited, Varint, Bit64 } = WireType;

describe('agents of Loki and Prometheus', () => {
  let server: BorrowedServer;

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const send = (
    path: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): Promise<Answer> => server.client.call(path, { body, headers });
  const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
    (await server.client.call('sql', { body: statement })).json();

  it('Loki: lines in JSON, with gzip and structured metadata', async () => {
    const body = JSON.stringify({
      streams: [
        {
          stream: { app: 'shop', env: 'test' },
          values: [
            ['1795439974406741761', 'first'],
            ['1795439974406741762', 'second', { trace_id: 'abc' }],
          ],
        },
        { stream: {}, values: [] },
      ],
    });
    const sent = await send(LOKI, gzipSync(body), { ...JSON_TYPE, 'content-encoding': 'gzip' });
    expect([sent.status, sent.bytes.length]).toEqual([204, 0]);
    expect(
      await rows('SELECT *, toString(time_unix_nano) exact FROM loki ORDER BY line'),
    ).toMatchObject([
      {
        _timestamp: '2026-11-23T13:19:34.406741Z',
        exact: '1795439974406741761',
        line: 'first',
        labels: { app: 'shop', env: 'test' },
        structured_metadata: {},
      },
      { exact: '1795439974406741762', line: 'second', structured_metadata: { trace_id: 'abc' } },
    ]);
  });

  it.each([
    ['{"streams":[{"labels":"{}","entries":[{"ts":"2026-11-26T00:00:00Z","line":"x"}]}]}', 'streams[0]: want "values", and there is "labels"'], // prettier-ignore
    ['{"stream":[]}', 'the body: want "streams"'],
    ['{"logs":[{"line":"x"}]}', 'the body: want "streams", and there is "logs"'],
    ['{"streams":[{"stream":{},"values":[["1","a"]],"values":[["2","b"]]}]}', 'names a field twice'], // prettier-ignore
  ])('Loki: what would be lost is refused: %s', async (body, reason) => {
    const sent = await send(LOKI, body, { ...JSON_TYPE, 'stream-name': 'lost' });
    expect([sent.status, sent.bytes.toString()]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('Loki: lines in protobuf, as promtail sends them', async () => {
    const push = (labels: string, lines: readonly string[]): Buffer => {
      const to = new BinaryWriter()
        .tag(1, LengthDelimited)
        .fork()
        .tag(1, LengthDelimited)
        .string(labels);
      for (const [at, line] of lines.entries()) {
        to.tag(2, LengthDelimited).fork();
        to.tag(1, LengthDelimited)
          .fork()
          .tag(1, Varint)
          .int64(1_795_439_974)
          .tag(2, Varint)
          .int32(at + 1)
          .join();
        to.tag(2, LengthDelimited).string(line);
        to.tag(3, LengthDelimited)
          .fork()
          .tag(1, LengthDelimited)
          .string('k')
          .tag(2, LengthDelimited)
          .string('v')
          .join();
        to.join();
      }
      return compressSync(Buffer.from(to.join().finish()));
    };
    const headers = { ...PROTOBUF, 'stream-name': 'promtail' };
    const body = push('{job="varlogs", path="C:\\\\logs"}', ['eins', 'zwei ä']);
    expect((await send(LOKI, body, headers)).status).toBe(204);
    const found = await rows(
      'SELECT line, labels, structured_metadata m, toString(time_unix_nano) t FROM promtail ORDER BY line',
    );
    const labels = { job: 'varlogs', path: 'C:\\logs' };
    expect(found).toEqual([
      { line: 'eins', labels, m: { k: 'v' }, t: '1795439974000000001' },
      { line: 'zwei ä', labels, m: { k: 'v' }, t: '1795439974000000002' },
    ]);
    const twice = await send(LOKI, push('{a="1", a="2"}', ['bad']), headers);
    expect([twice.status, twice.bytes.toString()]).toEqual([
      400,
      expect.stringMatching(/^1 of 1 rejected, and kept in _rejected.*names a field twice/),
    ]);
    for (const bad of [push('{a=1}', ['x']), body.subarray(0, -3), Buffer.from('hello')]) {
      const refused = await send(LOKI, bad, headers);
      expect([refused.status, refused.headers['content-type']]).toEqual([
        400,
        'text/plain; charset=utf-8',
      ]);
    }
    expect((await rows('SELECT count() n FROM promtail'))[0]).toEqual({ n: 2 });
    const malformed = await send(LOKI, '{"streams":[{"values":[[1,"x"]]}]}', JSON_TYPE);
    expect([malformed.status, malformed.bytes.toString()]).toEqual([
      400,
      expect.stringContaining('streams[0].values[0]: want ["<nanoseconds>", "<line>"]'),
    ]);
  });

  it('Prometheus: samples of a client of remote write', async () => {
    const pushed = await pushTimeseries(
      [
        {
          labels: { __name__: 'up', job: 'node', instance: 'a:9100' },
          samples: [{ value: 1, timestamp: 1_795_439_974_406 }],
        },
        {
          labels: { __name__: 'load', job: 'node' },
          samples: [
            { value: 0.5, timestamp: 1_795_439_974_000 },
            { value: NaN, timestamp: 1_795_439_975_000 },
          ],
        },
      ],
      {
        url: `${server.url}/api/${server.organization}/${PROMETHEUS}`,
        auth: { username: ROOT.email, password: ROOT.password },
        fetch: fetch as never,
      },
    );
    expect(pushed.status).toBe(204);
    expect(await rows('SELECT * FROM prometheus ORDER BY _timestamp')).toMatchObject([
      {
        _timestamp: '2026-11-23T13:19:34.000000Z',
        kind: 'sample',
        name: 'load',
        value: 0.5,
        labels: { job: 'node' },
        not_finite: {},
      },
      {
        _timestamp: '2026-11-23T13:19:34.406000Z',
        name: 'up',
        value: 1,
        labels: { job: 'node', instance: 'a:9100' },
      },
      { name: 'load', value: null, not_finite: { value: 'NaN' } },
    ]);
  });

  it('Prometheus: the end of a series, exemplars, histograms and metadata', async () => {
    const label = (to: BinaryWriter, name: string, value: string): BinaryWriter =>
      to
        .tag(1, LengthDelimited)
        .fork()
        .tag(1, LengthDelimited)
        .string(name)
        .tag(2, LengthDelimited)
        .string(value)
        .join();
    const time = 1_795_439_974_406;
    const to = new BinaryWriter().tag(1, LengthDelimited).fork();
    label(to, '__name__', 'm');
    // The NaN that ends a series.
    to.tag(2, LengthDelimited)
      .fork()
      .tag(1, Bit64)
      .fixed64(0x7ff0000000000002n)
      .tag(2, Varint)
      .int64(time)
      .join();
    label(to.tag(3, LengthDelimited).fork(), 'trace_id', 'abc')
      .tag(2, Bit64)
      .double(2.5)
      .tag(3, Varint)
      .int64(time)
      .join();
    to.tag(4, LengthDelimited)
      .fork()
      .tag(1, Varint)
      .uint64(3)
      .tag(3, Bit64)
      .double(18.4)
      .tag(4, Varint)
      .sint32(1);
    to.tag(11, LengthDelimited).fork().tag(1, Varint).sint32(-2).tag(2, Varint).uint32(2).join();
    to.tag(12, LengthDelimited)
      .fork()
      .sint64(1)
      .sint64(-1)
      .join()
      .tag(15, Varint)
      .int64(time)
      .join();
    to.join()
      .tag(3, LengthDelimited)
      .fork()
      .tag(1, Varint)
      .int32(1)
      .tag(2, LengthDelimited)
      .string('m');
    to.tag(4, LengthDelimited).string('how many').join();
    const body = compressSync(Buffer.from(to.finish()));
    const headers = {
      ...PROTOBUF,
      'content-encoding': 'snappy',
      'stream-name': 'odd',
      'x-prometheus-remote-write-version': '0.1.0',
    };
    expect((await send(PROMETHEUS, body, headers)).status).toBe(204);
    expect(await rows('SELECT * FROM odd ORDER BY kind')).toMatchObject([
      { kind: 'exemplar', name: 'm', value: 2.5, exemplar_labels: { trace_id: 'abc' } },
      {
        kind: 'histogram',
        name: 'm',
        sum: 18.4,
        histogram: {
          count_int: 3,
          schema: 1,
          positive_spans: [{ offset: -2, length: 2 }],
          positive_deltas: [1, -1],
        },
      },
      { kind: 'metadata', name: 'm', type: 'counter', help: 'how many' },
      { kind: 'sample', name: 'm', value: null, not_finite: { value: 'stale' } },
    ]);
    const second = await send(PROMETHEUS, body, {
      ...headers,
      'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    });
    expect(second.status).toBe(415);
    expect((await send(PROMETHEUS, Buffer.from('ffffffff0f00', 'hex'), headers)).status).toBe(400);
  });
});
