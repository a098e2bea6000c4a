import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const OTHER = '12345678-281d-45cf-9331-b1656f9664c5';
const STREAM = 'logs';

/**
 * Rows lie on the disk by the UUID in their table's definition. With another one the engine loads an
 * empty table, and they are there without anybody seeing them.
 */
describe('a definition that has the UUID of another copy of the data', () => {
  let dataDirectory: string;
  let server: Server;

  const start = async (): Promise<void> => {
    server = await startServer({ dataDirectory, variables: { MILLRACE_LOG_LEVEL: 'warn' } });
  };
  const verified = (): Promise<Ended> =>
    runOperator(['audit:verify'], {
      home: dataDirectory,
      variables: { MILLRACE_DATA_DIR: dataDirectory, MILLRACE_LOG_LEVEL: 'fatal' },
    });
  /** @returns the definition's file, and what was in it */
  const renumber = (table: string): readonly [file: string, good: string] => {
    const metadata = join(dataDirectory, 'warehouse/store/metadata');
    const database = readdirSync(metadata).find((name) => /^o_[0-9a-f]+$/.test(name)) ?? '';
    const file = join(metadata, database, `${table}.sql`);
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, good.replace(/UUID '[^']*'/, `UUID '${OTHER}'`));
    return [file, good];
  };
  const entries = async (): Promise<number> =>
    (await server.client.call('/api/default/audit')).json<{ total: number }>().total;
  const rows = async (): Promise<readonly number[]> => [
    await entries(),
    await server.client.count(STREAM),
    await server.client.count('_rejected'),
  ];

  beforeEach(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-renumbered-'));
    await start();
    await server.client.upload(STREAM, [{ n: 1 }, { n: 2 }]);
    const body = '[{"n":"x y"}]';
    const sent = await server.client.call(`/api/default/${STREAM}/_json?wait=true`, { body });
    expect(sent.status).toBe(200);
  });
  afterEach(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it.each([
    ['_audit', 0],
    ['_rejected', 0],
    // The number of a stream's table is known once a start has loaded it.
    [STREAM, 1],
  ])('is that of %s: it gets its own back, and has all of its rows', async (table, starts) => {
    for (let n = 0; n < starts; n += 1) {
      await server.stop();
      await start();
    }
    const before = await rows();
    expect(before).toEqual([expect.any(Number), 2, 1]);
    await server.stop();
    const [file, good] = renumber(table);
    await start();
    expect(server.output()).toContain('has that of its rows again');
    expect(readFileSync(file, 'utf8')).toBe(good);
    expect(await rows()).toEqual(before);
    expect((await server.client.call('/readyz')).json()).toEqual({ status: 'ok' });
    await server.stop();
    expect(await verified()).toMatchObject({ code: 0 });
  });

  it('is that of a trail, and the engine dies: the trail has all of its entries', async () => {
    const before = await entries();
    renumber('_audit');
    const engine = execFileSync('pgrep', ['-P', String(server.process.pid), '-f', 'run-engine']);
    process.kill(Number(engine.toString().trim().split('\n')[0]), 'SIGKILL');
    const changed = await server.client.call('/api/default/passcode', { method: 'PUT' });
    expect(changed.status).toBe(200);
    // An entry whose write the engine's end has broken off is written a moment later.
    await until(async () => (await entries()) >= before + 1);
    expect(await entries()).toBe(before + 1);
    await server.stop();
    expect(await verified()).toMatchObject({ code: 0 });
  });
});
