import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse } from '@app/warehouse';
import { LIMITS } from '../contract/limits.js';
import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import type { Answer } from '../server/client.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const TIMEOUT_MS = 300_000;
const person = (name: string) =>
  JSON.stringify({
    email: `${name}@example.com`,
    password: 'Secret-77',
    first_name: 'A',
    last_name: 'L',
    role: 'admin',
  });

interface Entry {
  readonly type: string;
  readonly outcome: string;
  readonly actor: string;
  readonly subject: string;
  readonly data: string;
}

/** An installation of which one store is put back to its state of a day before. */
class Installation {
  readonly directory = mkdtempSync(join(tmpdir(), 'millrace-reconcile-'));
  private readonly copies = mkdtempSync(join(tmpdir(), 'millrace-days-'));
  private server: Server | undefined;

  constructor(private variables: Readonly<Record<string, string>> = {}) {}

  async start(more: Readonly<Record<string, string>> = {}): Promise<Server> {
    const { directory: dataDirectory } = this;
    const variables = { ...this.variables, ...more };
    return (this.server = await startServer({ dataDirectory, variables }));
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
  }

  /** @returns why the server does not start */
  async refused(): Promise<string> {
    try {
      await this.start();
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it started');
  }

  run(...args: string[]): Promise<Ended> {
    return runOperator(args, {
      home: this.directory,
      variables: {
        MILLRACE_DATA_DIR: this.directory,
        MILLRACE_LOG_LEVEL: 'fatal',
        MILLRACE_ROOT_PASSWORD: 'Root-Secret-1',
        ...this.variables,
      },
    });
  }

  /** From now on the installation has other stores. */
  use(variables: Readonly<Record<string, string>>): void {
    this.variables = variables;
  }

  /** The work is done while the server is stopped. */
  keep(day: string): void {
    // A server that was killed has left its socket.
    const filter = (source: string): boolean => !lstatSync(source).isSocket();
    cpSync(this.directory, join(this.copies, day), { recursive: true, filter });
  }

  /** @param part of what was kept, such as `events`; all of it without one */
  putBack(day: string, part = '.'): void {
    rmSync(join(this.directory, part), { recursive: true, force: true });
    cpSync(join(this.copies, day, part), join(this.directory, part), { recursive: true });
  }

  async call(path: string, body?: string, method?: string): Promise<Answer> {
    if (!this.server) throw new Error('it does not run');
    const answer = await this.server.client.call(path, {
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method }),
    });
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  }

  async upload(organization: string, stream: string, records: object[]): Promise<void> {
    await this.call(`/api/${organization}/${stream}/_json?wait=true`, JSON.stringify(records));
  }

  async rows(organization: string, statement: string): Promise<object[]> {
    return (await this.call(`/api/${organization}/sql`, statement)).json<object[]>();
  }

  async streams(organization: string): Promise<string[]> {
    const answer = await this.call(`/api/${organization}/streams`);
    return answer.json<{ list: { name: string }[] }>().list.map(({ name }) => name);
  }

  async trail(organization: string): Promise<Entry[]> {
    const columns = 'type, outcome, actor, subject, data';
    return (await this.rows(
      organization,
      `SELECT ${columns} FROM _audit ORDER BY position`,
    )) as Entry[];
  }

  async verified(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run('audit:verify', ...args);
    // A failure shows all that was said, because the cause may be in a line of another trail.
    if (code !== 0 || /NOT INTACT/.test(stdout + stderr)) throw new Error(stdout + stderr);
    expect(stdout).toContain('intact');
    return stdout;
  }

  async dispose(): Promise<void> {
    await this.stop();
    for (const folder of [this.directory, this.copies])
      rmSync(folder, { recursive: true, force: true });
  }
}

/** Two organizations with streams and people. */
async function firstDay(installation: Installation): Promise<void> {
  await installation.start();
  for (const name of ['ann', 'ben']) await installation.call('/api/default/users', person(name));
  await installation.call('/api/acme/users/ann@example.com', '{"role":"admin"}');
  await installation.upload('default', 'logs', [{ n: 1, text: 'a' }]);
  await installation.upload('default', 'gone', [{ n: 1 }]);
  await installation.upload('acme', 'orders', [{ item: 'tea' }]);
  await installation.stop();
}

/** Changes streams, organizations and people in every way that a table keeps. */
async function secondDay(installation: Installation): Promise<void> {
  await installation.start();
  await installation.upload('default', 'logs', [{ n: 2.5, text: 'b', more: true, of: { x: 1 } }]);
  await installation.call('/api/default/streams/logs/settings', '{"data_retention":3000}', 'PUT');
  await installation.call('/api/default/gone', undefined, 'DELETE');
  await installation.upload('default', 'fresh', [{ big: 2 ** 53 }, { big: 2 }]);
  await installation.call('/api/acme/orders', undefined, 'DELETE');
  await installation.upload('acme', 'orders', [{ item: 5 }, { item: 6 }]);
  await installation.call('/api/beta/users/ann@example.com', '{"role":"admin"}');
  await installation.upload('beta', 'drafts', [{ k: 'v' }]);
  await installation.call('/api/default/users/ben@example.com?erase=true', undefined, 'DELETE');
  await installation.call('/api/default/users', person('cat'));
  await installation.call('/api/default/passcode', undefined, 'PUT');
  await installation.stop();
}

const enginesOf = (pid: number): number[] =>
  execFileSync('pgrep', ['-P', String(pid), '-f', 'run-engine'])
    .toString()
    .trim()
    .split('\n')
    .map(Number);

const [FIRST, SECOND] = ['first day', 'second day'];

describe('an installation of which a part is of the day before', () => {
  let installation: Installation;
  /** The head of acme's trail on the second day. */
  let noted: string;
  beforeAll(async () => {
    installation = new Installation();
    await firstDay(installation);
    installation.keep(FIRST);
    await secondDay(installation);
    noted = /^acme: .* head (\w+)$/m.exec(await installation.verified())?.[1] ?? '';
    installation.keep(SECOND);
  }, TIMEOUT_MS);
  afterAll(() => installation.dispose());
  afterEach(() => installation.stop());

  /** It is as on the second day, but for a part. */
  function putBack(part: string): void {
    installation.putBack(SECOND);
    installation.putBack(FIRST, part);
  }

  it(
    'events, is told of, and everything else becomes part of them with --adopt',
    async () => {
      putBack('events');
      expect(await installation.refused()).toMatch(/older than the warehouse.*millrace reconcile/);
      for (const args of [['replay', '--projection', 'all'], ['audit:verify']])
        expect((await installation.run(...args)).code).toBe(1);
      const listed = await installation.run('reconcile');
      expect([listed.code, listed.stderr]).toEqual([1, '']);
      for (const told of [
        /^default: \d+ entries of the audit trail have no event, from \S+ to \S+$/m,
        /^default: rights .* are as before: .*1 PasscodeRotated/m,
        /^default: no event knows the stream of the table fresh, 2 rows$/m,
        /^default: the table logs was changed/m,
        /^default: the stream gone has no table, and was deleted in the lost time$/m,
        /^acme: no event knows the stream of the table orders, 2 rows$/m,
        /^acme: the stream orders has no table/m,
        /^beta: no event knows this organization, whose database is o_/m,
        /^beta: 4 entries of the audit trail have no event/m,
        /^beta: no event knows the stream of the table drafts, 1 rows$/m,
        /^account \w+: was erased in the lost time$/m,
        /^nothing was changed$/m,
      ])
        expect(listed.stdout).toMatch(told);
      expect((await installation.run('reconcile')).stdout).toBe(listed.stdout);

      const adopted = await installation.run('reconcile', '--adopt');
      expect([adopted.code, adopted.stderr, adopted.stdout]).toEqual([
        0,
        '',
        expect.stringContaining('start the server'),
      ]);
      expect(await installation.verified('--head', `acme=${noted}`)).toMatch(
        /^beta: 8 entries \(4 of a lost time\), intact/m,
      );
      await installation.start();
      expect(await installation.streams('default')).toEqual(['fresh', 'logs']);
      expect(
        await installation.rows('default', 'SELECT n, text, more FROM logs ORDER BY n'),
      ).toEqual([
        { n: 1, text: 'a', more: null },
        { n: 2.5, text: 'b', more: true },
      ]);
      const [most] = await installation.rows(
        'default',
        'SELECT toString(max(big)) AS m FROM fresh',
      );
      expect(most).toEqual({ m: '9007199254740992' });
      expect(await installation.rows('acme', 'SELECT item FROM orders ORDER BY item')).toEqual([
        { item: 5 },
        { item: 6 },
      ]);
      expect(await installation.rows('beta', 'SELECT k FROM drafts')).toEqual([{ k: 'v' }]);
      // Deleted rows and people stay away, and new rows come as before.
      const users = (await installation.call('/api/default/users')).bytes.toString();
      expect([users.includes('ann@'), users.includes('ben@')]).toEqual([true, false]);
      await installation.upload('default', 'fresh', [{ big: 3 }]);
      await installation.upload('beta', 'drafts', [{ k: 'w', l: 1 }]);
      const trail = await installation.trail('default');
      const lost = trail.filter(({ outcome }) => outcome === 'lost').map(({ type }) => type);
      expect(lost).toEqual(
        expect.arrayContaining(['StreamCreated', 'StreamDeleted', 'PasscodeRotated']),
      );
      const summary = trail.filter(({ type }) => type === 'OrganizationReconciled');
      expect(summary).toMatchObject([{ actor: 'reconcile', outcome: 'done' }]);
      expect(JSON.parse(summary[0]?.data ?? '')).toMatchObject({
        mode: 'adopt',
        entriesKept: lost.length,
        isChained: true,
        adopted: ['fresh'],
        changed: ['logs'],
        deleted: ['gone'],
      });
      expect(JSON.stringify(await installation.trail('beta'))).toContain('OrganizationCreated');
      await installation.stop();
      await installation.verified();
      expect(await installation.run('reconcile')).toMatchObject({
        code: 0,
        stdout: 'nothing differs\n',
      });
    },
    TIMEOUT_MS,
  );

  it(
    'events, goes on without the rest with --drop, organization by organization',
    async () => {
      putBack('events');
      expect(
        (await installation.run('reconcile', '--drop', '--organization', 'nobody')).stderr,
      ).toMatch(/there is no organization nobody: neither events nor tables/);
      const one = await installation.run('reconcile', '--adopt', '--organization', 'beta');
      expect([one.code, one.stdout]).toEqual([
        1,
        expect.stringMatching(/^left are acme, default$/m),
      ]);
      expect(await installation.refused()).toMatch(/has begun and not ended/);
      expect((await installation.run('reconcile', '--drop')).stderr).toBe('');
      await installation.verified();
      await installation.start();
      expect(await installation.streams('default')).toEqual(['logs']);
      expect(await installation.streams('acme')).toEqual([]);
      expect(await installation.rows('beta', 'SELECT k FROM drafts')).toEqual([{ k: 'v' }]);
      await installation.upload('default', 'fresh', [{ other: 'x' }]);
      expect(await installation.rows('default', 'SELECT * FROM fresh')).toMatchObject([
        { other: 'x' },
      ]);
      expect(await installation.rows('default', 'SELECT more FROM logs ORDER BY n')).toEqual([
        { more: null },
        { more: true },
      ]);
      await installation.stop();
      await installation.verified();
    },
    TIMEOUT_MS,
  );

  it(
    'the warehouse, is told of, gets its tables and entries again, and the trail tells',
    async () => {
      putBack('warehouse');
      expect(await installation.refused()).toMatch(
        /ends at position \d+, and was written up to \d+: the warehouse is older than the events.*millrace reconcile/,
      );
      for (const name of ['all', 'audit-trail'])
        expect((await installation.run('replay', '--projection', name)).stderr).toContain(
          'the warehouse is older than the events',
        );
      const listed = await installation.run('reconcile');
      for (const told of [
        /^default: \d+ events have no entry in the audit trail$/m,
        /^default: the stream fresh has no table$/m,
        /^beta: it has no database$/m,
      ])
        expect(listed.stdout).toMatch(told);
      expect(await installation.run('reconcile', '--adopt')).toMatchObject({ code: 0, stderr: '' });
      await installation.verified();
      await installation.start();
      expect(await installation.streams('default')).toEqual(['fresh', 'logs']);
      expect(await installation.rows('default', 'SELECT count() AS n FROM fresh')).toEqual([
        { n: 0 },
      ]);
      const told = (await installation.trail('default')).find(
        ({ type }) => type === 'OrganizationReconciled',
      );
      expect(JSON.parse(told?.data ?? '{}')).toMatchObject({ emptied: ['fresh'], entriesKept: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'the warehouse, is gone on from with a word by a data directory that knows no better',
    async () => {
      putBack('warehouse');
      rmSync(join(installation.directory, 'snapshots'), { recursive: true });
      const server = await installation.start({ MILLRACE_LOG_LEVEL: 'warn' });
      expect(server.output()).toMatch(/"count":3,.*tables of streams are not there/);
      await installation.stop();
      await installation.verified();
      expect((await installation.start({ MILLRACE_LOG_LEVEL: 'warn' })).output()).not.toContain(
        'tables of streams are not there',
      );
    },
    TIMEOUT_MS,
  );

  it(
    'the warehouse, is gone altogether, and its trails come back whole',
    async () => {
      installation.putBack(SECOND);
      rmSync(join(installation.directory, 'warehouse'), { recursive: true });
      expect(await installation.refused()).toMatch(/the audit trail of the database \w+ is gone/);
      expect(await installation.run('reconcile', '--adopt')).toMatchObject({ code: 0, stderr: '' });
      await installation.verified();
      await installation.start();
      expect(await installation.streams('default')).toEqual(['fresh', 'logs']);
    },
    TIMEOUT_MS,
  );

  it(
    'only some entries of a trail, has that trail written anew',
    async () => {
      installation.putBack(SECOND);
      await takeOutOfTrails(installation.directory);
      expect((await installation.run('audit:verify')).code).toBe(1);
      expect((await installation.run('reconcile')).stdout).toMatch(
        /^default: 2 events have no entry in the audit trail$/m,
      );
      expect(await installation.run('reconcile', '--adopt')).toMatchObject({ code: 0, stderr: '' });
      await installation.verified('--head', `acme=${noted}`);
      expect((await installation.run('reconcile')).stdout).toBe('nothing differs\n');
    },
    TIMEOUT_MS,
  );

  it(
    'the keys of people, names whom nobody can read, and gives them up with --drop alone',
    async () => {
      putBack('person-keys');
      const copied = readdirSync(join(installation.directory, 'person-keys'));
      // The server starts, but says so. People who were erased since stay erased.
      const server = await installation.start({ MILLRACE_LOG_LEVEL: 'warn' });
      expect(server.output()).toMatch(/"count":1,.*accounts cannot be read/);
      const there = (await installation.call('/api/default/users')).bytes.toString();
      expect(['ann@', 'ben@', 'cat@'].map((each) => there.includes(each))).toEqual([true, false, false]); // prettier-ignore
      await installation.stop();
      const keys = readdirSync(join(installation.directory, 'person-keys'));
      // It is ben's, which the copy had still.
      expect(copied.filter((each) => !keys.includes(each))).toHaveLength(1);
      const listed = await installation.run('reconcile');
      expect(listed.stdout).toMatch(/^account \w+: its key is gone, nobody can read it$/m);
      const adopted = await installation.run('reconcile', '--adopt');
      expect([adopted.code, adopted.stdout]).toEqual([1, expect.stringContaining('are left')]);
      expect(await installation.run('reconcile', '--drop')).toMatchObject({ code: 0, stderr: '' });
      await installation.verified();
      await installation.start();
      await installation.call('/api/default/users', person('cat'));
      const users = (await installation.call('/api/default/users')).bytes.toString();
      expect([users.includes('ben@'), users.includes('cat@')]).toEqual([false, true]);
    },
    TIMEOUT_MS,
  );
});

/** Takes two entries out of the middle of each trail of six or more, with the server stopped. */
async function takeOutOfTrails(dataDirectory: string): Promise<void> {
  const { warehouse } = await openWarehouse({
    clickHouse: undefined,
    directory: join(dataDirectory, 'warehouse'),
    limits: LIMITS,
    readers: 1,
    acceptors: 1,
    files: [],
  });
  await warehouse.claimAudit();
  for (const database of await warehouse.databases()) {
    const rows = await warehouse.auditAfter(database, '-1', 1000);
    if (rows.length < 6) continue;
    await warehouse.truncateAudit(database, rows[2]?.position ?? '');
    await warehouse.appendAudit(database, rows.slice(5));
  }
  await warehouse.close();
}

describe('a queue that is newer than events and tables', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = new Installation();
    await firstDay(installation);
    installation.keep(FIRST);
    await leaveWaiting(installation, ['default', 'gamma']);
    installation.keep(SECOND);
    installation.putBack(FIRST);
    installation.putBack(SECOND, 'queue');
    installation.keep('mixed');
  }, TIMEOUT_MS);
  afterAll(() => installation.dispose());
  afterEach(() => installation.stop());

  const rowsOfLate = async (organization: string): Promise<object[]> => {
    let rows: object[] = [];
    await until(async () => {
      rows = await installation.rows(organization, 'SELECT n, of FROM late ORDER BY n');
      return rows.length > 0;
    });
    return rows;
  };

  it(
    'tells what waits of streams that nobody knows, and adopts it',
    async () => {
      const listed = await installation.run('reconcile');
      expect([listed.code, listed.stderr]).toEqual([1, '']);
      const told = (rows: string) =>
        `: ${rows} rows wait for the table late, of which neither events nor tables know`;
      expect(listed.stdout).toContain(`default${told('2')}`);
      expect(listed.stdout).toMatch(
        /^(?<database>o_\w+): no event knows this organization, whose database is \k<database>$/m,
      );
      expect(await installation.run('reconcile', '--adopt')).toMatchObject({ code: 0, stderr: '' });
      const { database = '' } = /^(?<database>o_\w+): no event/m.exec(listed.stdout)?.groups ?? {};
      await installation.start();
      for (const organization of ['default', database])
        expect(await rowsOfLate(organization)).toEqual([
          { n: 1, of: { x: 'y' } },
          { n: 2, of: null },
        ]);
      await installation.stop();
      await installation.verified();
    },
    TIMEOUT_MS,
  );

  it(
    'drops it',
    async () => {
      installation.putBack('mixed');
      expect(await installation.run('reconcile', '--drop')).toMatchObject({ code: 0, stderr: '' });
      await installation.start();
      // A new stream of the same name has only new rows.
      await installation.upload('default', 'late', [{ n: 3 }]);
      expect(await installation.rows('default', 'SELECT * FROM late')).toMatchObject([{ n: 3 }]);
      await installation.stop();
      await installation.verified();
      expect((await installation.run('dead-letter', '--list')).stdout).toBe('0 batches\n');
    },
    TIMEOUT_MS,
  );
});

/** Ends the server with batches of a stream `late` on the queue, which its table does not have. */
async function leaveWaiting(
  installation: Installation,
  organizations: readonly string[],
): Promise<void> {
  const server = await installation.start();
  for (const each of organizations) {
    if (each !== 'default')
      await installation.call(`/api/${each}/users/ann@example.com`, '{"role":"admin"}');
    await installation.upload(each, 'late', [{ n: 0, of: { x: 'z' } }]);
  }
  const engine = enginesOf(server.process.pid ?? 0);
  for (const pid of engine) process.kill(pid, 'SIGSTOP');
  for (const each of organizations)
    await installation.call(
      `/api/${each}/late/_json`,
      JSON.stringify([{ n: 1, of: { x: 'y' } }, { n: 2 }]),
    );
  await server.kill();
  for (const pid of engine) process.kill(pid, 'SIGKILL');
  await installation.stop();
}

describe('events of the day before, in EventStoreDB (double)', () => {
  it(
    'are gone on from',
    async () => {
      const today = await EventStoreDbDouble.start();
      const installation = new Installation({ EVENTSTORE_URL: today.url });
      await firstDay(installation);
      const { size } = today.log;
      await secondDay(installation);
      await today.stop();
      const restored = await EventStoreDbDouble.start(today.log.first(size));
      installation.use({ EVENTSTORE_URL: restored.url });
      try {
        expect(await installation.refused()).toContain('older than the warehouse');
        expect((await installation.run('reconcile')).code).toBe(1);
        expect(restored.log.size).toBe(size);
        expect(await installation.run('reconcile', '--adopt')).toMatchObject({
          code: 0,
          stderr: '',
        });
        await installation.verified();
        await installation.start();
        expect(await installation.streams('default')).toEqual(['fresh', 'logs']);
        expect(await installation.rows('beta', 'SELECT k FROM drafts')).toEqual([{ k: 'v' }]);
        await installation.upload('beta', 'drafts', [{ k: 'w', l: 1 }]);
        await installation.stop();
        await installation.verified();
      } finally {
        await installation.dispose();
        await restored.stop();
      }
    },
    TIMEOUT_MS,
  );
});
