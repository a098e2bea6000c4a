import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

/** The value of a metric with these labels; undefined when it is not there. */
function valueOf(text: string, name: string, labels = ''): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name}${labels} `));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}

const user = { email: 'ann@example.com', password: 'Secret-77' };
const FORWARDED = { 'x-forwarded-for': '192.0.2.7' };

describe('the metrics', () => {
  let server: Server;
  let status: string;
  const metrics = async (): Promise<string> =>
    (await server.client.call('/metrics', { credentials: 'none' })).bytes.toString();

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_STATUS_ADDR: '127.0.0.1:0' } });
    await until(async () => server.output().includes('health and metrics'));
    status = /health and metrics are at (\S+)/.exec(server.output())?.[1] ?? '';
    const person = { ...user, first_name: 'Ann', last_name: 'X', role: 'admin' };
    await server.client.call('/api/default/users', {
      body: JSON.stringify(person),
      headers: { 'content-type': 'application/json' },
    });
    // A person has logged in from here before, so the wrong passwords below hold up nobody.
    const { status: known } = await server.client.call('/api/default/streams', {
      credentials: user,
    });
    expect(known).toBe(200);
  });
  afterAll(() => server.stop());

  it('count what is uploaded, by outcome, and what is written', async () => {
    await server.client.upload('logs', [{ a: 1 }, { a: 2 }]);
    await server.client.upload('logs', [{ a: 'x' }, { a: 3 }]);
    const text = await metrics();
    expect(valueOf(text, 'millrace_ingest_records_total', '{outcome="accepted"}')).toBe(3);
    expect(valueOf(text, 'millrace_ingest_records_total', '{outcome="rejected"}')).toBe(1);
    expect(valueOf(text, 'millrace_ingest_bytes_total')).toBeGreaterThan(20);
    expect(valueOf(text, 'millrace_written_rows_total')).toBe(4);
    expect(valueOf(text, 'millrace_insert_duration_seconds_count', '{outcome="stored"}')).toBe(3);
    expect(valueOf(text, 'millrace_queue_batches')).toBe(0);
    const uploads = '{format="json",outcome="ok"}';
    expect(valueOf(text, 'millrace_upload_duration_seconds_count', uploads)).toBe(2);
  });

  it('count an upload once, however often it is sent under its key', async () => {
    const before = valueOf(
      await metrics(),
      'millrace_ingest_records_total',
      '{outcome="accepted"}',
    );
    for (let time = 0; time < 3; time += 1)
      await server.client.upload('logs', [{ a: 9 }], { 'idempotency-key': 'k1' });
    const after = valueOf(await metrics(), 'millrace_ingest_records_total', '{outcome="accepted"}');
    expect(after).toBe((before ?? 0) + 1);
  });

  it('measure queries by frontend, and count what the guard refuses by its rule', async () => {
    await server.client.sql('SELECT 1');
    await server.client.call('/api/default/tables/logs');
    for (const statement of ['SELECT * FROM url(1)', 'DROP TABLE logs', 'SELECT 1 SETTINGS x = 1'])
      expect((await server.client.call('/api/default/sql', { body: statement })).status).toBe(403);
    const text = await metrics();
    const queries = 'millrace_query_duration_seconds_count';
    expect(valueOf(text, queries, '{frontend="sql",outcome="ok"}')).toBe(1);
    expect(valueOf(text, queries, '{frontend="sql",outcome="refused"}')).toBe(3);
    expect(valueOf(text, queries, '{frontend="tables",outcome="ok"}')).toBe(1);
    const refusals = 'millrace_guard_refusals_total';
    expect(valueOf(text, refusals, '{reason="table_function"}')).toBe(1);
    expect(valueOf(text, refusals, '{reason="not_a_select"}')).toBe(1);
    expect(valueOf(text, refusals, '{reason="settings"}')).toBe(1);
  });

  it('count an answer whose client left as cut', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ n }));
    await server.client.upload('many', rows);
    await server.client.leaveAfterFirstBytes('SELECT x.n FROM many AS x, many AS y, many AS z');
    await until(async () => (await metrics()).includes('{frontend="sql",outcome="cut"} 1'));
  });

  it('count failed logins, and logins held up', async () => {
    const credentials = { email: 'bob@example.com', password: 'Wrong-12' };
    for (let time = 0; time < 11; time += 1)
      await server.client.call('/api/default/streams', { credentials });
    const text = await metrics();
    expect(valueOf(text, 'millrace_failures_total', '{kind="UNAUTHORIZED"}')).toBe(10);
    expect(valueOf(text, 'millrace_throttled_total', '{what="login"}')).toBe(1);
  });

  it('tell where the event store and the read models are', async () => {
    const text = await metrics();
    const position = valueOf(text, 'millrace_event_store_position');
    expect(position).toBeGreaterThan(0);
    expect(valueOf(text, 'millrace_projection_position')).toBe(position);
    expect(valueOf(text, 'millrace_projection_lag')).toBe(0);
    expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('name nobody: no label holds the name of an organization, a stream or a person', async () => {
    await server.client.upload('very-own-stream', [{ a: 1 }]);
    const text = await metrics();
    for (const name of ['very-own-stream', 'default', 'example.com'])
      expect(text).not.toContain(name);
  });

  it('are open to this machine, and else to root alone', async () => {
    const { call } = server.client;
    const get = (more: object) =>
      call.call(server.client, '/metrics', more).then((answer) => answer.status);
    expect(await get({ credentials: 'none' })).toBe(200);
    // A proxy on this machine speaks for somebody elsewhere.
    expect(await get({ credentials: 'none', headers: FORWARDED })).toBe(401);
    // A proxy that adds no header passes on the host it was called by.
    for (const host of ['millrace.example.com', 'localhost.example.com', '192.0.2.7:5080', '0'])
      expect(await get({ credentials: 'none', headers: { host } })).toBe(401);
    for (const host of ['localhost', '127.0.0.1:80', '[::1]:5080'])
      expect(await get({ credentials: 'none', headers: { host } })).toBe(200);
    expect(await get({ headers: { host: 'millrace.example.com' } })).toBe(200);
    expect(await get({ credentials: user, headers: FORWARDED })).toBe(403);
    expect(await get({ headers: FORWARDED })).toBe(200);
  });

  it('are on the listener for them too, with health, and nothing else is', async () => {
    const get = (path: string) => fetch(`${status}${path}`);
    const text = await (await get('/metrics')).text();
    expect(valueOf(text, 'millrace_written_rows_total')).toBeGreaterThan(0);
    for (const path of ['/healthz', '/readyz'])
      expect(await (await get(path)).json()).toEqual({ status: 'ok' });
    const other = await get('/api/default/streams');
    expect([other.status, await other.json()]).toEqual([
      404,
      { code: 404, message: 'here are /healthz, /readyz and /metrics' },
    ]);
  });
});
