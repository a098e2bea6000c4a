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

  it('names the disk when there is too little room on it', async () => {
    const server = await startServer({
      variables: { MILLRACE_MIN_FREE_DISK_BYTES: '9000000000000000' },
    });
    const [status, message] = await readiness(server.client);
    expect([status, message]).toEqual([503, expect.stringMatching(/^not ready: disk: /)]);
    await server.stop();
  });

  it(
    'names each store that is away, and comes back with it',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'millrace-ready-'));
      const [tables, events] = await Promise.all([
        ClickHouseDouble.start(join(directory, 'tables')),
        EventStoreDbDouble.start(),
      ]);
      const server = await startServer({
        dataDirectory: join(directory, 'data'),
        variables: { CLICKHOUSE_URL: tables.url, EVENTSTORE_URL: events.url },
      });
      const { client } = server;
      expect(await readiness(client)).toEqual([200, '']);
      tables.pause();
      await until(async () => (await readiness(client))[0] === 503);
      expect((await readiness(client))[1]).toBe('not ready: warehouse: does not answer within 2 s');
      expect((await client.call('/healthz')).status).toBe(200);
      tables.resume();
      await until(async () => (await readiness(client))[0] === 200);
      await events.stop();
      await until(async () => (await readiness(client))[0] === 503);
      expect((await readiness(client))[1]).toMatch(/^not ready: event-store: /);
      await server.kill();
      await tables.kill();
      rmSync(directory, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );
});
