import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { rounds } from '../rounds.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';
import { nodesUnderTest } from './two-nodes.js';

const TIMEOUT_MS = 240_000;
const ROWS = 50;
/** The pause between two uploads to a node. In CI other suites need the machine, too. */
const PAUSE_MS = rounds(50, 0);

describe('a backup of a cluster that goes on', () => {
  const { nodes, a, b } = nodesUnderTest();
  const directory = mkdtempSync(join(tmpdir(), 'millrace-cluster-backup-'));
  const opened: { stop(): Promise<unknown> }[] = [];
  afterAll(async () => {
    for (const each of opened.reverse()) await each.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const run = (args: string[], variables: Record<string, string>): Promise<Ended> =>
    runOperator(args, {
      home: directory,
      variables: { ...nodes().variables(), MILLRACE_LOG_LEVEL: 'fatal', ...variables },
    });
  const backUp = (...args: string[]): Promise<Ended> =>
    run(['backup', ...args], { MILLRACE_DATA_DIR: nodes().dataDirectory(0) });

  /** Uploads to both nodes, to streams that are new all the time. */
  function ingest(): { readonly done: string[]; stop(): Promise<void> } {
    const done: string[] = [];
    let stopped = false;
    const working = [a, b].map(async ({ client }, node) => {
      for (let n = 0; !stopped; n += 1) {
        const key = `n${node}-${n}`;
        const rows = Array.from({ length: ROWS }, (_, row) => ({ key, row, [`f${n % 7}`]: n }));
        const body = JSON.stringify(rows);
        const path = `/api/default/s${node}_${n >> 4}/_json`;
        const { status, bytes } = await client.call(path, { body });
        if (status !== 200) throw new Error(bytes.toString());
        done.push(key);
        await sleep(PAUSE_MS);
      }
    });
    const stop = async (): Promise<void> => {
      stopped = true;
      await Promise.all(working);
    };
    return { done, stop };
  }

  async function stored({ client }: Server): Promise<ReadonlyMap<string, number>> {
    const answer = await client.call('/api/default/streams');
    const found = new Map<string, number>();
    for (const { name } of answer.json<{ list: { name: string }[] }>().list) {
      if (!/^s\d_/.test(name)) continue;
      const sql = `SELECT key, count() AS n, uniqExact("row") AS of FROM ${name} GROUP BY key`;
      const rows = await client.sql<{ key: string; n: number; of: number }>(sql);
      for (const { key, n, of } of rows) {
        expect(n).toBe(of);
        found.set(key, n);
      }
    }
    return found;
  }

  /** Makes new stores from the copies, and starts a server on them with an empty data directory. */
  async function restore(name: string, copied: EventStoreDbDouble['log']) {
    const own = join(directory, name);
    const tables = join(own, 'tables');
    cpSync(join(nodes().clickHouse.directory, 'backups'), join(tables, 'backups'), {
      recursive: true,
    });
    const clickHouse = await ClickHouseDouble.start(tables);
    opened.push(clickHouse);
    const events = await EventStoreDbDouble.start(copied);
    opened.push(events);
    const variables = {
      ...nodes().variables(),
      CLICKHOUSE_URL: clickHouse.url,
      EVENTSTORE_URL: events.url,
      KAFKA_NAMESPACE: `${basename(directory)}-${name}`,
    };
    const restoring = { ...variables, MILLRACE_DATA_DIR: join(own, 'operator') };
    const { code, stdout, stderr } = await run(['restore', name], restoring);
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(`the tables are as they were in ${name}`),
      expect.anything(),
    ]);
    const again = await run(['restore', name], restoring);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/there are tables/)]);
    const server = await startServer({ dataDirectory: join(own, 'node'), variables });
    opened.push(server);
    return { server, variables };
  }

  it(
    'has all that was acknowledged before, with a base or without, and starts on new stores',
    async () => {
      await a.client.call('/api/default/users', {
        body: JSON.stringify({ email: 'ann@example.com', password: 'Secret-77', first_name: 'A', last_name: 'B', role: 'admin' }), // prettier-ignore
      });
      const { done, stop } = ingest();
      const enough = async (): Promise<void> => {
        const from = done.length;
        await until(() => Promise.resolve(done.length > from + 20));
      };
      await enough();
      const before = [...done];
      const full = await backUp('--name', 'full');
      expect([full.code, full.stdout, full.stderr]).toEqual([
        0,
        'full\n',
        expect.stringMatching(/now copy the event store/),
      ]);
      const eventsOfFull = nodes().events.log.copy();
      await enough();
      const beforeLater = [...done];
      const later = await backUp('--name', 'later', '--base', 'full');
      expect([later.code, later.stdout]).toEqual([0, 'later\n']);
      const eventsOfLater = nodes().events.log.copy();
      await enough();
      await stop();

      const cases = [
        ['full', before, eventsOfFull],
        ['later', beforeLater, eventsOfLater],
      ] as const;
      for (const [name, acknowledged, events] of cases) {
        const { server, variables } = await restore(name, events);
        const found = await stored(server);
        expect(acknowledged.filter((key) => found.get(key) !== ROWS)).toEqual([]);
        expect(found.size).toBeLessThan(done.length);
        const credentials = { email: 'ann@example.com', password: 'Secret-77' };
        const body = JSON.stringify([{ key: 'new', row: 1 }]);
        const call = { body, credentials };
        expect(await server.client.call('/api/default/s0_0/_json?wait=true', call)).toMatchObject({
          status: 200,
        });
        expect((await stored(server)).get('new')).toBe(1);
        const { code, stdout } = await run(['audit:verify'], {
          ...variables,
          MILLRACE_DATA_DIR: join(directory, name, 'operator'),
        });
        expect([code, stdout]).toEqual([0, expect.stringMatching(/intact/)]);
      }
    },
    TIMEOUT_MS,
  );

  it('says what is wrong', async () => {
    expect(await backUp('--name', 'full')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/full.*exists/i) as string,
    });
    expect(await backUp('--base', 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/none/) as string,
    });
    expect(await backUp('--to', 's3://a/b')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/AWS_ACCESS_KEY_ID/) as string,
    });
    expect(existsSync(join(nodes().dataDirectory(0), 'backups'))).toBe(false);
  });
});
