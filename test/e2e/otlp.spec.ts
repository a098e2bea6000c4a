import { gzipSync } from 'node:zlib';
import { SpanKind, SpanStatusCode, ValueType } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  AggregationType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { Answer, Call } from '../server/client.js';
import { ROOT, borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const LOGS = 'v1/logs?wait=true';
const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF = { 'content-type': 'application/x-protobuf' };

describe('OTLP over HTTP', () => {
  let server: BorrowedServer;
  let headers: Record<string, string>;

  beforeAll(async () => {
    server = await borrowServer();
    const basic = Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64');
    headers = { Authorization: `Basic ${basic}` };
  });
  afterAll(() => server.giveBack());

  const ask = (call: Call): Promise<Answer> => server.client.call(LOGS, call);
  const rows = async (statement: string): Promise<Record<string, unknown>[]> =>
    (await server.client.call('sql', { body: statement })).json();
  const logs = (...logRecords: object[]): string =>
    JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });

  it.each([
    ['protobuf', OTLPLogExporter],
    ['JSON', JsonLogExporter],
  ])('takes logs of the official exporter of %s', async (name, Exporter) => {
    const exporter = new Exporter({
      url: `${server.url}/api/${server.organization}/${LOGS}`,
      headers: { ...headers, 'stream-name': `app_${name}` },
      compression: 'gzip' as never,
    });
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ 'service.name': 'shop', 'host.cpus': 4 }),
      processors: [new BatchLogRecordProcessor({ exporter })],
    });
    const logger = provider.getLogger('checkout', '1.2.3');
    logger.emit({
      timestamp: [1_795_439_974, 406_741_761],
      severityNumber: SeverityNumber.WARN,
      severityText: 'warn',
      body: 'card refused',
      attributes: {
        'user.id': 42,
        ratio: 0.5,
        ok: false,
        tags: ['a', 'b'],
        deep: { x: { y: 'z' } },
      },
    });
    logger.emit({ body: { order: 7, lines: [{ sku: 'a' }] }, eventName: 'order.placed' });
    await provider.shutdown();
    const [first, second] = await rows(`SELECT * FROM app_${name} ORDER BY body`).then((found) =>
      [...found].sort((a, b) => (a.body === null ? 1 : 0) - (b.body === null ? 1 : 0)),
    );
    expect(first).toMatchObject({
      _timestamp: '2026-11-23T13:19:34.406741Z',
      severity_number: 13,
      severity_text: 'warn',
      body: 'card refused',
      attributes: {
        'user.id': 42,
        ratio: 0.5,
        ok: false,
        tags: ['a', 'b'],
        deep: { x: { y: 'z' } },
      },
      service_name: 'shop',
      resource: { 'service.name': 'shop', 'host.cpus': 4 },
      scope: { name: 'checkout', version: '1.2.3' },
    });
    const exact = await rows(`SELECT toString(time_unix_nano) t FROM app_${name} WHERE body <> ''`);
    expect(exact).toEqual([{ t: '1795439974406741761' }]);
    expect(second).toMatchObject({
      body: null,
      body_fields: { order: 7, lines: [{ sku: 'a' }] },
      event_name: 'order.placed',
    });
  });

  it('takes spans of the official exporter, with events, links and status', async () => {
    const exporter = new OTLPTraceExporter({
      url: `${server.url}/api/${server.organization}/v1/traces?wait=true`,
      headers,
    });
    const provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'shop' }),
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const tracer = provider.getTracer('web');
    const start: [number, number] = [1_795_439_974, 1];
    const other = {
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: 'eee19b7ec3c1b174',
      traceFlags: 1,
    };
    const span = tracer.startSpan('GET /', {
      kind: SpanKind.SERVER,
      startTime: start,
      attributes: { 'http.status': 500 },
      links: [{ context: other, attributes: { why: 'retry' } }],
    });
    span.addEvent('bare', start);
    span.addEvent('mixed', { 'a.b': 1, a: 'x', list: [1, 2] }, start);
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'no' });
    span.end([1_795_439_976, 0]);
    await provider.shutdown();
    const [row] = await rows('SELECT * FROM otel_traces');
    expect(row).toMatchObject({
      _timestamp: '2026-11-23T13:19:34.000000Z',
      trace_id: span.spanContext().traceId,
      span_id: span.spanContext().spanId,
      name: 'GET /',
      kind: 2,
      kind_text: 'SERVER',
      duration_nano: 1_999_999_999,
      status_code: 2,
      status_code_text: 'ERROR',
      status_message: 'no',
      attributes: { 'http.status': 500 },
      service_name: 'shop',
      events: [{ name: 'bare' }, { name: 'mixed', attributes: { 'a.b': 1, a: 'x', list: [1, 2] } }],
      links: [{ trace_id: other.traceId, span_id: other.spanId, attributes: { why: 'retry' } }],
    });
    const exact = await rows(
      'SELECT toString(start_time_unix_nano) s, toString(end_time_unix_nano) e FROM otel_traces',
    );
    expect(exact).toEqual([{ s: '1795439974000000001', e: '1795439976000000000' }]);
    // Events that say little, and nothing.
    const odd = {
      resourceSpans: [
        { scopeSpans: [{ spans: [{ name: 'odd', kind: 77, events: [{}, { name: 'x' }] }] }] },
      ],
    };
    const sent = await server.client.call('v1/traces?wait=true', {
      body: JSON.stringify(odd),
      headers: JSON_TYPE,
    });
    expect([sent.status, sent.bytes.toString()]).toEqual([200, '{}']);
    expect(
      await rows("SELECT kind, kind_text, events FROM otel_traces WHERE name = 'odd'"),
    ).toEqual([{ kind: 77, kind_text: null, events: [{}, { name: 'x' }] }]);
  });

  it("takes metrics as Node's SDK writes them, of every type", async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({
      resource: resourceFromAttributes({ 'service.name': 'shop' }),
      readers: [reader],
      views: [
        {
          instrumentName: 'exponential',
          aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM },
        },
      ],
    });
    const meter = provider.getMeter('m');
    meter.createCounter('requests', { unit: '1', valueType: ValueType.INT }).add(3, { route: '/' });
    meter.createGauge('temperature').record(-1.5);
    const bounds = { explicitBucketBoundaries: [0.5, 10] };
    meter.createHistogram('latency', { advice: bounds }).record(700.5);
    meter.createHistogram('exponential').record(4);
    await provider.forceFlush();
    const [collected] = exporter.getMetrics();
    if (!collected) throw new Error('nothing was collected');
    for (const [serializer, type] of [
      [ProtobufMetricsSerializer, PROTOBUF],
      [JsonMetricsSerializer, JSON_TYPE],
    ] as const) {
      const stream = serializer === JsonMetricsSerializer ? 'json_metrics' : 'otel_metrics';
      const sent = await server.client.call('v1/metrics?wait=true', {
        body: Buffer.from(serializer.serializeRequest(collected) ?? []),
        headers: { ...type, 'stream-name': stream },
      });
      expect(sent.status).toBe(200);
      const found = await rows(`SELECT * EXCEPT (resource, scope) FROM ${stream} ORDER BY name`);
      expect(found).toMatchObject([
        {
          name: 'exponential',
          type: 'exponential_histogram',
          count: 1,
          sum: 4,
          zero_count: 0,
          positive: { bucket_counts: [1] },
        },
        {
          name: 'latency',
          type: 'histogram',
          count: 1,
          sum: 700.5,
          min: 700.5,
          max: 700.5,
          bucket_counts: [0, 0, 1],
          explicit_bounds: [0.5, 10],
        },
        {
          name: 'requests',
          type: 'sum',
          unit: '1',
          value: 3,
          value_int: 3,
          is_monotonic: true,
          aggregation_temporality: 'cumulative',
          attributes: { route: '/' },
        },
        { name: 'temperature', type: 'gauge', value: -1.5, value_int: null },
      ]);
    }
    await provider.shutdown();
  });

  it('keeps integers, fractions and what is no number of metrics apart, and all of them', async () => {
    const send = (...points: object[]): Promise<Answer> =>
      server.client.call('v1/metrics?wait=true', {
        body: JSON.stringify({
          resourceMetrics: [
            { scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints: points } }] }] },
          ],
        }),
        headers: { ...JSON_TYPE, 'stream-name': 'numbers' },
      });
    const sent = [
      await send({ asInt: '7' }),
      await send({ asInt: '9223372036854775807' }, { asInt: '-9223372036854775808' }),
      await send(
        { asDouble: 0.25 },
        { asDouble: 'NaN' },
        { asDouble: '-Infinity' },
        { asInt: '9007199254740993' },
      ),
      await send({ flags: 1 }),
    ];
    expect(sent.map(({ status, bytes }) => [status, bytes.toString()])).toEqual(
      sent.map(() => [200, '{}']),
    );
    const statement = 'SELECT toString(value) v, toString(value_int) i, not_finite n FROM numbers';
    const found = await rows(statement);
    const told = found.map(({ v, i, n }) => [v === null ? v : Number(v), i, n]);
    expect(told).toHaveLength(8);
    expect(told).toEqual(
      expect.arrayContaining([
        [0.25, null, null],
        [7, '7', null],
        [9_007_199_254_740_992, '9007199254740993', null],
        [2 ** 63, '9223372036854775807', null],
        [-(2 ** 63), '-9223372036854775808', null],
        [null, null, { value: 'NaN' }],
        [null, null, { value: '-Infinity' }],
        [null, null, null],
      ]),
    );
  });

  it('counts what does not fit, keeps it, and stores its neighbours', async () => {
    const twice = [1, 2].map((n) => ({ key: 'a', value: { intValue: n } }));
    const body = logs(
      { body: { stringValue: 'good' } },
      { body: { stringValue: 'bad' }, attributes: twice },
      // 2554, beyond all times that are taken
      { body: { stringValue: 'late' }, timeUnixNano: '18446744073709551615' },
    );
    const sent = await ask({
      body: gzipSync(body),
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    });
    expect([sent.status, sent.json()]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedLogRecords: '2',
          errorMessage: 'record 2: field "attributes": an object within it names a field twice',
        },
      },
    ]);
    expect(await rows('SELECT body FROM otel_logs')).toEqual([{ body: 'good' }]);
    const kept = await rows(
      "SELECT line, record FROM _rejected WHERE stream = 'otel_logs' ORDER BY line",
    );
    expect(kept.map(({ line }) => line)).toEqual([2, 3]);
    expect(String(kept[0]?.record)).toContain('"attributes":{"a":1,"a":2}');
    // The same holds for one record alone.
    const alone = await ask({ body: logs({ attributes: twice }), headers: JSON_TYPE });
    expect([alone.status, alone.bytes.toString()]).toEqual([200, expect.stringContaining('"1"')]);
  });

  it('answers nothing to nothing', async () => {
    const inJson = await ask({ body: '{}', headers: JSON_TYPE });
    expect([inJson.status, inJson.bytes.toString()]).toEqual([200, '{}']);
    const empty = await ask({ body: '', headers: PROTOBUF });
    expect([empty.status, empty.bytes.length]).toEqual([200, 0]);
    expect(empty.headers['content-type']).toBe('application/x-protobuf');
  });

  it('refuses what is malformed as the protocol has it, and stores nothing of it', async () => {
    const bad = logs({ body: { stringValue: 'before' } }, { timeUnixNano: 'x' });
    const inJson = await ask({ body: bad, headers: { ...JSON_TYPE, 'stream-name': 'none' } });
    expect([inJson.status, inJson.json()]).toEqual([
      400,
      {
        code: 3,
        message: 'logRecords[1].timeUnixNano: want an integer from 0 to 18446744073709551615',
      },
    ]);
    for (const body of ['resourceLogs', '\x0a\xff\xff\xff\xff\x0f', '\x0a\x05abc']) {
      const sent = await ask({
        body: Buffer.from(body, 'latin1'),
        headers: { ...PROTOBUF, 'stream-name': 'none' },
      });
      expect([sent.status, sent.headers['content-type']]).toEqual([400, 'application/x-protobuf']);
      // field 1, 3: INVALID_ARGUMENT; field 2, a text
      expect(sent.bytes.subarray(0, 3).toString('hex')).toBe('080312');
    }
    const elsewhere = await ask({ body: '{"resourceSpans":[{}]}', headers: JSON_TYPE });
    expect([elsewhere.status, elsewhere.json<{ message: string }>().message]).toEqual([
      400,
      'want resourceLogs, and the body has "resourceSpans"; is it meant for another route?',
    ]);
    const cut = await ask({ body: 'x', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } });
    expect([cut.status, cut.json<{ code: number }>().code]).toEqual([400, 3]);
    expect((await ask({ body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const stranger = await ask({ body: '', headers: PROTOBUF, credentials: 'none' });
    expect([stranger.status, stranger.bytes.subarray(0, 3).toString('hex')]).toEqual([
      401,
      '081012',
    ]);
    expect(stranger.headers['www-authenticate']).toContain('Basic');
    const named = await ask({ body: bad, headers: { ...JSON_TYPE, 'stream-name': '_own' } });
    expect(named.status).toBe(400);
    const { list } = (await server.client.call('streams')).json<{
      list: { name: string }[];
    }>();
    expect(list.map(({ name }) => name)).not.toContain('none');
  });

  it('is open to the passcode, and to no viewer', async () => {
    const passcode = (await server.client.call('passcode')).json<{
      data: { user: string; passcode: string };
    }>();
    const { user: email, passcode: password } = passcode.data;
    expect(
      (await ask({ body: '', headers: PROTOBUF, credentials: { email, password } })).status,
    ).toBe(200);
    const viewer = { email: 'vera@otlp.example.com', password: 'Comp1ex!pass' };
    await server.client.call('users', {
      body: JSON.stringify({ ...viewer, first_name: 'V', last_name: 'V', role: 'viewer' }),
    });
    const refused = await ask({ body: '{}', headers: JSON_TYPE, credentials: viewer });
    expect([refused.status, refused.json<{ code: number }>().code]).toEqual([403, 7]);
  });
});
