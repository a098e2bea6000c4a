import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../server/client.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const PERSON = { email: 'ann@example.com', password: 'Secret-77', first_name: 'A', last_name: 'L' };
/** The organization's streams, by which its folder is known. */
const STREAM = 'of_acme';
const SECOND = 'also_of_acme';
const UNUSABLE = /the table \S+ cannot be used: .*Damaged definitions/;
/** A write of one organization that failed for minutes would keep the others waiting. */
const SOON_MS = 30_000;

interface Trail {
  readonly hits: readonly { readonly type: string }[];
  readonly total: number;
}

/** The embedded engine does not start with a definition that it cannot read. */
describe('a definition of one organization that is damaged while the server is stopped', () => {
  let whole: string;
  let dataDirectory: string;
  let server: Server | undefined;

  const start = async (): Promise<Server> => {
    server = await startServer({ dataDirectory, variables: { MILLRACE_LOG_LEVEL: 'warn' } });
    return server;
  };
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const run = (...args: string[]): Promise<Ended> =>
    runOperator(args, {
      home: dataDirectory,
      variables: { MILLRACE_DATA_DIR: dataDirectory, MILLRACE_LOG_LEVEL: 'fatal' },
    });
  const restore = async (name: string): Promise<Ended> => {
    const again = mkdtempSync(join(tmpdir(), 'millrace-again-'));
    const variables = { MILLRACE_DATA_DIR: again, MILLRACE_LOG_LEVEL: 'fatal' };
    try {
      return await runOperator(['restore', join(dataDirectory, 'backups', name)], {
        home: again,
        variables,
      });
    } finally {
      rmSync(again, { recursive: true, force: true });
    }
  };
  const of = (organization: string): Client => new Client(server?.url ?? '', ROOT, organization);
  const metadata = (): string => join(dataDirectory, 'warehouse/store/metadata');
  const database = (): string => {
    const has = (name: string): boolean => existsSync(join(metadata(), name, `${SECOND}.sql`));
    const found = readdirSync(metadata()).find((name) => !name.endsWith('.sql') && has(name));
    if (found === undefined) throw new Error('there is no such organization');
    return found;
  };
  const definition = (table: string): string => join(metadata(), database(), `${table}.sql`);
  const readyz = async (): Promise<unknown> =>
    (await of('default').call('/readyz', { credentials: 'none' })).json();
  const trail = async (organization: string): Promise<Trail> =>
    (await of(organization).call('audit')).json<Trail>();
  const enginePid = (): number => {
    const found = execFileSync('pgrep', ['-P', String(server?.process.pid), '-f', 'run-engine']);
    return Number(found.toString().trim().split('\n')[0]);
  };
  const verified = (): Promise<Ended> => run('audit:verify');

  beforeAll(async () => {
    whole = mkdtempSync(join(tmpdir(), 'millrace-whole-'));
    dataDirectory = whole;
    const { client } = await start();
    const user = JSON.stringify({ ...PERSON, role: 'viewer' });
    await client.call('/api/default/users', { body: user });
    await client.call(`/api/acme/users/${PERSON.email}`, { body: '{"role":"admin"}' });
    await client.upload('logs', [{ n: 1 }]);
    // The last entry of all trails is in the one that is damaged.
    await of('acme').upload(STREAM, [{ n: 1 }, { n: 2 }]);
    await of('acme').upload(SECOND, [{ n: 1 }]);
    await stop();
  });
  afterAll(() => rmSync(whole, { recursive: true, force: true }));
  beforeEach(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-definition-'));
    cpSync(whole, dataDirectory, { recursive: true, verbatimSymlinks: true });
  });
  afterEach(async () => {
    await stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  /** Cuts a definition off. @returns what it was */
  const cut = (file: string): Buffer => {
    const good = readFileSync(file);
    truncateSync(file, Math.floor(good.length / 2));
    return good;
  };
  const rotate = async (organization: string): Promise<number> =>
    (await of(organization).call('passcode', { method: 'PUT' })).status;

  it('of its audit trail: all go on, and the trail has each entry once it is mended', async () => {
    const place = definition('_audit');
    const good = cut(place);
    for (let starts = 0; starts < 2; starts += 1) {
      const { client, output } = await start();
      expect(await readyz()).toEqual({ status: 'ok', damaged: { parts: 0, tables: 1 } });
      expect(await of('acme').count(STREAM)).toBe(2);
      expect([await rotate('acme'), await rotate('default')]).toEqual([200, 200]);
      for (const asked of [
        of('acme').call('audit'),
        of('acme').call('sql', { body: 'SELECT * FROM _audit' }),
        of('acme').call('tables/_audit'),
      ]) {
        const answer = await asked;
        expect([answer.status, answer.bytes.toString()]).toEqual([
          503,
          expect.stringMatching(UNUSABLE),
        ]);
      }
      const answer = await of('acme').call('audit/verify', { method: 'POST' });
      expect(answer.json()).toMatchObject({
        data: { intact: false, problems: [expect.stringMatching(UNUSABLE)] },
      });
      expect((await trail('default')).hits[0]).toMatchObject({ type: 'PasscodeRotated' });
      const told = output()
        .split('\n')
        .filter((line) => line.includes('audit trail is set aside'));
      expect(told).toEqual([expect.stringContaining('"organization":"acme"')]);
      const metrics = (await client.call('/metrics')).bytes.toString();
      expect(metrics).toMatch(/^millrace_damaged_tables 1$/m);
      await stop();
    }
    const broken = await verified();
    expect([broken.code, broken.stdout]).toEqual([1, expect.stringMatching(/acme: .*NOT INTACT/)]);
    expect(broken.stdout).toMatch(/default: .* intact/);
    writeFileSync(place, good);
    await start();
    expect(await readyz()).toEqual({ status: 'ok' });
    const { hits } = await trail('acme');
    expect(hits.filter(({ type }) => type === 'PasscodeRotated')).toHaveLength(3);
    await stop();
    expect(await verified()).toMatchObject({ code: 0 });
  });

  it('of its audit trail: replaying makes the trail again', async () => {
    cut(definition('_audit'));
    await start();
    const { total } = await trail('default');
    expect([await rotate('acme'), await rotate('default')]).toEqual([200, 200]);
    await stop();
    expect(await run('replay', '--projection', 'audit-trail')).toMatchObject({ code: 0 });
    expect(await verified()).toMatchObject({ code: 0 });
    await start();
    expect(await readyz()).toEqual({ status: 'ok' });
    expect((await trail('acme')).hits[0]).toMatchObject({ type: 'PasscodeRotated' });
    expect((await trail('default')).total).toBe(total + 1);
  });

  it.each([
    [
      'has its positions as text',
      (text: string) => text.replace('`position` UInt64', '`position` String'),
    ],
    ['lacks a column', (text: string) => text.replace(/,\n {4}`hash` String/, '')],
    [
      'ends the engine whenever it is read',
      (text: string) => text.replace(/index_granularity = \d+/, 'index_granularity = 0'),
    ],
  ])(
    'of its audit trail, which %s: all go on, and the trail is whole once it is mended',
    async (_, change) => {
      const place = definition('_audit');
      const good = readFileSync(place, 'utf8');
      writeFileSync(place, change(good));
      const { output } = await start();
      expect(output()).toMatch(/"organization":"acme".*audit trail is set aside/);
      expect(await readyz()).toMatchObject({ damaged: { tables: 1 } });
      expect([await rotate('acme'), await rotate('default')]).toEqual([200, 200]);
      const asked = await of('acme').call('audit');
      expect([asked.status, asked.bytes.toString()]).toEqual([
        503,
        expect.stringMatching(UNUSABLE),
      ]);
      expect((await trail('default')).hits[0]).toMatchObject({ type: 'PasscodeRotated' });
      await stop();
      writeFileSync(place, good);
      await start();
      expect((await trail('acme')).hits[0]).toMatchObject({ type: 'PasscodeRotated' });
      await stop();
      expect(await verified()).toMatchObject({ code: 0 });
    },
  );

  it('of its audit trail, which is removed: the trail is made again', async () => {
    await start();
    await of('default').upload('more', [{ n: 1 }]);
    await stop();
    rmSync(definition('_audit'));
    await start();
    expect((await trail('acme')).hits[0]).toMatchObject({ type: 'StreamCreated' });
    await stop();
    expect(await verified()).toMatchObject({ code: 0 });
  });

  it('of a stream: that stream alone is out of use, and has its rows once it is mended', async () => {
    const place = definition(STREAM);
    const good = readFileSync(place, 'utf8');
    writeFileSync(place, good.replace('Int64', 'Int65'));
    const { output } = await start();
    expect(await readyz()).toMatchObject({ streams: { aside: 1 }, damaged: { tables: 1 } });
    expect(output()).not.toContain('are made, empty');
    const asked = await of('acme').call('sql', { body: `SELECT * FROM ${STREAM}` });
    expect([asked.status, asked.bytes.toString()]).toEqual([503, expect.stringMatching(UNUSABLE)]);
    const sent = await of('acme').call(`${STREAM}/_json`, { body: '[{"n":3}]' });
    expect([sent.status, sent.bytes.toString()]).toEqual([
      503,
      expect.stringMatching(/out of use/),
    ]);
    await of('acme').upload(SECOND, [{ n: 2 }]);
    expect(await of('acme').count(SECOND)).toBe(2);
    const { list } = (await of('acme').call('streams')).json<{ list: { name: string }[] }>();
    expect(list.find(({ name }) => name === STREAM)).toMatchObject({ damaged: { parts: 0 } });
    const backup = await run('backup', '--name', 'meanwhile');
    // A script that takes old backups away after a good one would lose the last one with this table.
    expect([backup.code, backup.stderr]).toEqual([2, expect.stringContaining(`.${STREAM}, which`)]);
    await stop();
    const restored = await restore('meanwhile');
    expect([restored.code, restored.stderr]).toEqual([
      0,
      expect.stringContaining(`.${STREAM}, which`),
    ]);
    const compared = await run('reconcile');
    expect([compared.code, compared.stderr]).toEqual([1, expect.stringMatching(/Damaged def/)]);
    writeFileSync(place, good);
    await start();
    await of('acme').upload(STREAM, [{ n: 3 }]);
    expect(await of('acme').count(STREAM)).toBe(3);
    expect(await readyz()).toEqual({ status: 'ok' });
  });

  it('of a stream, while the server runs: its uploads are no dead letters', async () => {
    await start();
    cut(definition(STREAM));
    process.kill(enginePid(), 'SIGKILL');
    await until(async () => JSON.stringify(await readyz()).includes('"tables":1'));
    const sent = await of('acme').call(`${STREAM}/_json`, { body: '[{"n":3}]' });
    expect([sent.status, sent.bytes.toString()]).toEqual([
      503,
      expect.stringMatching(/out of use/),
    ]);
    await of('acme').upload(SECOND, [{ n: 2 }]);
  });

  it('of a stream: it can be deleted, and its name be used again', async () => {
    cut(definition(STREAM));
    await start();
    expect((await of('acme').call(`streams/${STREAM}`, { method: 'DELETE' })).status).toBe(200);
    await of('acme').upload(STREAM, [{ n: 3 }]);
    expect(await of('acme').count(STREAM)).toBe(1);
    expect(await readyz()).toEqual({ status: 'ok' });
  });

  it('of its rejected records: what is rejected keeps nobody waiting, and is put back', async () => {
    const place = definition('_rejected');
    const good = cut(place);
    await start();
    const begun = performance.now();
    const rejected = await of('acme').call(`${STREAM}/_json?wait=true`, {
      body: '[{"n":1},{"n":"x y"}]',
    });
    expect(rejected.status).toBe(500);
    await of('default').upload('logs', [{ n: 2 }]);
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    await stop();
    writeFileSync(place, good);
    expect(await run('dead-letter', '--replay')).toMatchObject({ code: 0 });
    await start();
    expect(await of('acme').count('_rejected')).toBe(1);
  });

  it.each(['cut off', 'removed'])('of its database, %s: it is made again', async (how) => {
    const place = join(metadata(), `${database()}.sql`);
    if (how === 'removed') rmSync(place);
    else cut(place);
    await start();
    expect(await of('acme').count(STREAM)).toBe(2);
    expect(await readyz()).toEqual({ status: 'ok' });
    await stop();
    expect(await verified()).toMatchObject({ code: 0 });
  });
});
