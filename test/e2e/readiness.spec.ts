import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import type { Client } from '../server/client.js';
import { startServer } from '../server/start-server.js';
import { until } from '../server/until.js';

// Two engines start.
const TIMEOUT_MS = 90_000;

async function readiness(client: Client): Promise<[number, string]> {
  const answer = await client.call('/readyz', { credentials: 'none' });
  const { message = '' } = answer.json<{ message?: string }>();
  return [answer.status, message];
}

describe('readiness', () => {
  it('goes before the server does, which serves on for as long as it is told', async () => {
    const server = await startServer({ variables: { MILLRACE_DRAIN_SECONDS: '2' } });
    expect(await readiness(server.client)).toEqual([200, '']);
    const ended = server.stop();
    await until(async () => (await readiness(server.client))[0] === 503);
    expect(await readiness(server.client)).toEqual([503, 'not ready: server: stopping']);
    expect(await server.client.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await server.client.call('/healthz')).status).toBe(200);
    expect(await ended).toBe(0);
  });

  it('names the disk when there is too little room on it, and answers queries', async () => {
    const server = await startServer({
      variables: { MILLRACE_MIN_FREE_DISK_BYTES: '9000000000000000' },
    });
    const answer = await server.client.call('/readyz', { credentials: 'none' });
    expect([answer.status, answer.json()]).toEqual([
      200,
      { status: 'ok', away: { disk: expect.any(String) as string } },
    ]);
    expect(await server.client.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const upload = await server.client.call('/api/default/logs/_json', { body: '[{"n":1}]' });
    expect([upload.status, upload.headers['retry-after']]).toEqual([503, expect.any(String)]);
    await server.stop();
  });

  it(
    'names each store that is away, serves on without it, and comes back with it',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'millrace-ready-'));
      const [tables, events] = await Promise.all([
        ClickHouseDouble.start(join(directory, 'tables')),
        EventStoreDbDouble.start(),
      ]);
      const start = (variables: Record<string, string> = {}) =>
        startServer({
          dataDirectory: join(directory, 'data'),
          variables: { CLICKHOUSE_URL: tables.url, EVENTSTORE_URL: events.url, ...variables },
        });
      let server = await start();
      const away = async (): Promise<unknown> => {
        const answer = await server.client.call('/readyz', { credentials: 'none' });
        return answer.status === 200 ? answer.json<{ away?: object }>().away : answer.status;
      };
      await server.client.upload('logs', [{ n: 1 }]);
      expect(await away()).toBeUndefined();
      tables.pause();
      await until(async () => (await away()) !== undefined);
      expect(await away()).toEqual({ warehouse: 'does not answer within 2 s' });
      // Uploads are acknowledged; a proxy that took every node away would have refused them.
      const sent = await server.client.call('/api/default/logs/_json', { body: '[{"n":2}]' });
      expect(sent.status).toBe(200);
      const metrics = (await server.client.call('/metrics')).bytes.toString();
      expect(metrics).toContain('millrace_component_ready{component="warehouse"} 0');
      expect(metrics).toContain('millrace_component_ready{component="queue"} 1');
      // Alerts of operators may still use the former name.
      expect(metrics).toContain('millrace_part_ready{part="warehouse"} 0');
      tables.resume();
      await until(async () => (await away()) === undefined);
      await until(async () => (await server.client.count('logs')) === 2);
      await server.kill();
      // Nothing works that the server is for.
      server = await start({ MILLRACE_MIN_FREE_DISK_BYTES: '9000000000000000' });
      expect(await away()).toEqual({ disk: expect.any(String) as string });
      tables.pause();
      await until(async () => (await away()) === 503);
      expect((await readiness(server.client))[1]).toMatch(/^not ready: warehouse: .*; disk: /);
      tables.resume();
      await until(async () => (await away()) !== 503);
      await events.stop();
      await until(async () => 'event-store' in ((await away()) as object));
      expect(await server.client.count('logs')).toBe(2);
      await server.kill();
      await tables.kill();
      rmSync(directory, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );
});
