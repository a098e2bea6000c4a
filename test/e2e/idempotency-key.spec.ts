import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

/** Gives a process a clock that is so many hours ahead, or behind when negative. */
function clockAhead(hours: number): Readonly<Record<string, string>> {
  const script = `const now=Date.now;Date.now=()=>now()+${hours * 3_600_000}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

describe('an upload with an Idempotency-Key', () => {
  let dataDirectory: string;
  let server: Server;
  let made = 0;
  const fresh = (): string => `once${(made += 1)}`;
  const send = (
    path: string,
    key: string | undefined,
    body: string | Buffer,
    query = '?wait=true',
  ): Promise<Answer> =>
    server.client.call(`/api/default/${path}${query}`, {
      body,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const restart = async (end: 'stop' | 'kill'): Promise<void> => {
    await server[end]();
    server = await startServer({ dataDirectory });
  };

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    server = await startServer({ dataDirectory });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('is stored once and answered alike, across restarts', async () => {
    const large = Array.from({ length: 50_000 }, (_, a) => `{"a":${a},"t":"some text"}`);
    const sent: { path: string; key: string; body: string; answer: string; count: number }[] = [];
    for (const [format, body] of [
      ['_json', '[{"a":1},{"a":2},7]'],
      ['_json', `[${large.join(',')},7]`],
      ['_csv', 'a,b\n1,x\n2,y\n3,y,z\n'],
    ] as const) {
      const [stream, key] = [fresh(), `key of ${format} ${body.length}`];
      const first = await send(`${stream}/${format}`, key, body);
      expect(first.status).toBe(200);
      const count = await server.client.count(stream);
      expect(count).toBeGreaterThan(1);
      sent.push({ path: `${stream}/${format}`, key, body, answer: first.bytes.toString(), count });
    }
    const countOf = (path: string): Promise<number> =>
      server.client.count(path.slice(0, path.indexOf('/')));
    const again = async (): Promise<void> => {
      for (const { path, key, body, answer, count } of sent) {
        const { status, bytes } = await send(path, key, body);
        expect([path, status, bytes.toString()]).toEqual([path, 200, answer]);
        expect([path, await countOf(path)]).toEqual([path, count]);
      }
    };
    await again();
    await restart('stop');
    await again();
    await restart('kill');
    await again();
    for (const { path, body, count } of sent) {
      const rejected = await server.client.call(
        `/api/default/${path.replace(/_\w+$/, '_rejected')}`,
      );
      expect([path, rejected.json()]).toEqual([path, [expect.anything()]]);
      // An upload without the key is another upload.
      expect((await send(path, undefined, body)).status).toBe(200);
      expect([path, await countOf(path)]).toEqual([path, 2 * count]);
    }
  }, 240_000);

  it('409: the same key with another body, stream or format', async () => {
    const stream = fresh();
    expect((await send(`${stream}/_json`, 'k', '[{"a":1}]')).status).toBe(200);
    for (const [path, body] of [
      [`${stream}/_json`, '[{"a":2}]'],
      [`${stream}/_json`, ''],
      [`${fresh()}/_json`, '[{"a":1}]'],
      [`${stream}/_csv`, '[{"a":1}]'],
    ] as const) {
      const answer = await send(path, 'k', body);
      expect([answer.status, answer.json<{ message: string }>().message]).toEqual([
        409,
        expect.stringContaining('Idempotency-Key'),
      ]);
    }
    expect(await server.client.count(stream)).toBe(1);
  });

  it('belongs to the organization', async () => {
    const person = {
      email: 'ann@example.com',
      password: 'Secret-77',
      first_name: 'A',
      last_name: 'L',
      role: 'viewer',
    };
    await server.client.call('/api/default/users', { body: JSON.stringify(person) });
    await server.client.call('/api/acme/users/ann@example.com', { body: '{"role":"editor"}' });
    for (const org of ['default', 'acme']) {
      const answer = await server.client.call(`/api/${org}/shared/_json?wait=true`, {
        body: `[{"org":"${org}"}]`,
        headers: { 'idempotency-key': 'shared' },
      });
      expect(answer.status).toBe(200);
    }
    expect(await server.client.sql('SELECT org FROM shared')).toEqual([{ org: 'default' }]);
  });

  it('is stored once when many send it at the same time', async () => {
    const stream = fresh();
    const body = JSON.stringify(Array.from({ length: 100 }, (_, a) => ({ a })));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(`${stream}/_json`, 'all at once', body)),
    );
    expect(new Set(answers.map(({ status, bytes }) => `${status} ${bytes.toString()}`)).size).toBe(
      1,
    );
    expect(await server.client.count(stream)).toBe(100);
  });

  it('that failed may be sent again with the same key', async () => {
    const stream = fresh();
    expect((await send(`${stream}/_json`, 'failing', '[{"a":1}')).status).toBe(400);
    expect((await send(`${stream}/_json`, 'failing', '[{"a":1}]')).status).toBe(200);
    expect(await server.client.count(stream)).toBe(1);
  });

  it.each(['', 'x'.repeat(256)])('400: a key that is none (%j)', async (key) => {
    expect((await send(`${fresh()}/_json`, key, '[{"a":1}]')).status).toBe(400);
  });

  it('remembers an upload that had nothing to store', async () => {
    const stream = fresh();
    for (let n = 0; n < 2; n += 1)
      expect((await send(`${stream}/_json`, 'empty', '[]')).json()).toMatchObject({
        status: [{ successful: 0, failed: 0 }],
      });
    expect((await send(`${stream}/_json`, 'empty', '[{"a":1}]')).status).toBe(409);
  });

  const bulkTo = (...streams: string[]): string =>
    streams.map((stream) => `{"index":{"_index":"${stream}"}}\n{"a":1}\n`).join('');
  const drop = async (stream: string): Promise<void> => {
    const answer = await server.client.call(`/api/default/${stream}`, { method: 'DELETE' });
    expect(answer.status).toBe(200);
  };

  it('is stored again when its stream was deleted, each time anew', async () => {
    const uploads = (['_json', '_csv', '_bulk'] as const).map((format) => {
      const stream = fresh();
      const body = { _json: '[{"a":1}]', _csv: 'a\n1\n', _bulk: bulkTo(stream) }[format];
      const path = format === '_bulk' ? format : `${stream}/${format}`;
      return { stream, path, body, key: `deleted ${format}` };
    });
    for (let times = 0; times < 3; times += 1) {
      for (const { stream, path, body, key } of uploads) {
        for (let sent = 0; sent < 2; sent += 1)
          expect([path, (await send(path, key, body)).status]).toEqual([path, 200]);
        expect([path, await server.client.count(stream)]).toEqual([path, 1]);
      }
      if (times === 1) await restart('kill');
      for (const { stream } of uploads) await drop(stream);
    }
    for (const { stream, path, body, key } of uploads) {
      // A stream that is made by hand under the same name is another stream, so the key does not
      // count.
      await server.client.upload(stream, '[{"a":7}]');
      expect([path, (await send(path, key, body)).status]).toEqual([path, 200]);
      expect([path, await server.client.count(stream)]).toEqual([path, 2]);
    }
  }, 240_000);

  it('is kept for a day from when it was stored anew', async () => {
    const stream = fresh();
    const stored = async (): Promise<number> => {
      expect((await send(`${stream}/_json`, 'anew', '[{"a":1}]')).status).toBe(200);
      return server.client.count(stream);
    };
    const at = async (hoursFromNow: number): Promise<void> => {
      await server.stop();
      server = await startServer({ dataDirectory, variables: clockAhead(hoursFromNow) });
    };
    // No more than an hour ahead: Kafka takes no records of later.
    await at(-24);
    expect(await stored()).toBe(1);
    await drop(stream);
    await at(-1);
    expect(await stored()).toBe(1);
    await at(0.5);
    expect(await stored()).toBe(1);
    await restart('stop');
  }, 240_000);

  it('409: some of its streams were deleted', async () => {
    const [kept, gone] = [fresh(), fresh()];
    const body = bulkTo(kept, gone);
    expect((await send('_bulk', 'some deleted', body)).status).toBe(200);
    await drop(gone);
    const answer = await send('_bulk', 'some deleted', body);
    expect([answer.status, answer.bytes.toString()]).toEqual([
      409,
      expect.stringContaining('deleted since'),
    ]);
    expect(await server.client.count(kept)).toBe(1);
    await drop(kept);
    expect((await send('_bulk', 'some deleted', body)).status).toBe(200);
    expect(await server.client.count(kept)).toBe(1);
  });
});
