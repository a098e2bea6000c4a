import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NotOurs } from '@app/event-store';
import { ServerKey } from '@app/key-store';
import { openEventStoreDb } from '../../libs/event-store/eventstoredb/event-store-db.js';
import { runningMembers } from '../../libs/ingest-queue/kafka/running-members.js';
import { authenticEvents } from '../../libs/identity/people/installation-events.js';
import { newEvent } from '../contract/event-store.contract.js';
import type { Answer, Call } from '../server/client.js';
import { openProgram, type ReleaseProgram } from '../server/release-program.js';
import { runOperator } from '../server/run-millrace.js';
import type { Server } from '../server/start-server.js';
import { until } from '../server/until.js';
import { nodesUnderTest } from './two-nodes.js';

const TIMEOUT_MS = 120_000;
const SILENT = { debug: () => undefined, warn: () => undefined, error: () => undefined };
const PASSWORD = 'Secret-77';
const root = join(import.meta.dirname, '../..');
const textOf = (name: string): string => readFileSync(join(root, name), 'utf8');
const { version } = JSON.parse(textOf('package.json')) as { version: string };
/** A version that cannot serve beside the last release says so there before anybody upgrades. */
const [, next = ''] = /^## Next\n([^]*?)^## \d/m.exec(textOf('CHANGELOG.md')) ?? [];
const stops = /full stop/i.test(next);
const promised: (name: string, tests: () => void) => void = stops
  ? (name) => it(`${name} are not promised: CHANGELOG.md says so`, () => expect(stops).toBe(true))
  : describe;

promised('the last release, and this version beside it', () => {
  let folder: string;
  let release: ReleaseProgram;
  const { nodes, a, b } = nodesUnderTest(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
    release = openProgram(join(folder, 'program'));
    return [release.main, undefined];
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const older = a;
  const newer = b;
  /** Each test does the same from both sides. */
  const sides = [
    [older, newer, 'older'],
    [newer, older, 'newer'],
  ] as const;
  const ask = async (server: Server, path: string, body?: object, more: Call = {}) => {
    const answer = await server.client.call(`/api/${path}`, {
      ...more,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([path, answer.status, answer.bytes.toString()]).toEqual([path, 200, expect.any(String)]);
    return answer;
  };
  const person = (name: string, password = PASSWORD) => ({
    email: `${name}@example.com`,
    password,
  });
  const register = (server: Server, name: string, role = 'editor'): Promise<Answer> =>
    ask(server, 'default/users', { ...person(name), first_name: name, last_name: 'X', role });
  const status = async (server: Server, path: string, call: Call): Promise<number> =>
    (await server.client.call(`/api/${path}`, call)).status;
  const letsIn = (server: Server, name: string, password = PASSWORD): Promise<boolean> =>
    status(server, 'default/streams', { credentials: person(name, password) }).then(
      (code) => code === 200,
    );
  const verify = async () => {
    const variables = { ...nodes().variables(), MILLRACE_DATA_DIR: join(folder, 'verify') };
    const { code, stdout } = await runOperator(['audit:verify'], { home: folder, variables });
    return { code, stdout };
  };

  it('are both seen by a command that has to be alone', async () => {
    const { KAFKA_BROKERS: brokers = '', KAFKA_NAMESPACE: namespace = '' } = nodes().variables();
    const found = await runningMembers({ brokers: [brokers], namespace, log: SILENT });
    const names = found.filter(({ group }) => group.startsWith(`${namespace}.names.`));
    expect(names).toHaveLength(2);
    // Nothing is to be sealed any more, so nobody has to be alone.
    const variables = { ...nodes().variables(), MILLRACE_DATA_DIR: join(folder, 'verify') };
    expect(await runOperator(['seal-events'], { home: folder, variables })).toMatchObject({
      code: 0,
    });
  });

  it('are two programs', async () => {
    const versions = sides.map(async ([server]) => {
      const answer = await server.client.call('/openapi.json');
      return answer.json<{ info: { version: string } }>().info.version;
    });
    expect(await Promise.all(versions)).toEqual([release.version, version]);
    expect(older.process.spawnargs).toContain(release.main);
    expect(newer.process.spawnargs).not.toContain(release.main);
  });

  it(
    'take uploads of one stream, with columns that each side begins, and answer all of them',
    async () => {
      for (const [here, there, side] of sides) {
        await here.client.upload('logs', [{ n: 1, [side]: { deep: [side] } }]);
        await there.client.upload('logs', [{ n: 2, [`${side}_day`]: '2026-11-28', late: 1.5 }]);
        await here.client.uploadTo('sheet/_csv', `name,${side}\nx,1\n`);
      }
      const columns = 'n, older, newer, older_day, newer_day, late';
      const statement = `SELECT ${columns} FROM logs ORDER BY ${columns}`;
      const sheet = 'SELECT older, newer FROM sheet ORDER BY older, newer';
      const [rows, others] = await Promise.all(sides.map(([at]) => at.client.sql(statement)));
      expect(rows).toHaveLength(4);
      expect(others).toEqual(rows);
      for (const [server] of sides)
        expect(await server.client.sql(sheet)).toEqual([
          { older: 1, newer: null },
          { older: null, newer: 1 },
        ]);
    },
    TIMEOUT_MS,
  );

  it(
    'see the people, organizations and roles that the other made, changed and removed',
    async () => {
      for (const [here, there, side] of sides) {
        const ann = `ann-${side}`;
        await register(here, ann, 'viewer');
        await until(() => letsIn(there, ann));
        await ask(there, `${side}-co/users/${ann}@example.com`, { role: 'admin' });
        const upload = { body: '[{"n":1}]', credentials: person(ann) };
        await until(async () => (await status(here, `${side}-co/things/_json`, upload)) === 200);
        const member = `default/users/${ann}@example.com`;
        await ask(there, member, { role: 'editor' }, { method: 'PUT' });
        await until(async () => (await status(here, 'default/things/_json', upload)) === 200);
        const passwords = { old_password: PASSWORD, new_password: 'Other-Secret-88' };
        await ask(there, member, passwords, { method: 'PUT', credentials: person(ann) });
        await until(() => letsIn(here, ann, 'Other-Secret-88'));
        await ask(here, `${member}?erase=true`, undefined, { method: 'DELETE' });
        await until(async () => !(await letsIn(there, ann, 'Other-Secret-88')));
      }
    },
    TIMEOUT_MS,
  );

  it(
    'let in whom the other gave a token, a session or a passcode, until the other ends it',
    async () => {
      const statement = { body: 'SELECT 1 AS one', credentials: 'none' } as const;
      for (const [here, there, side] of sides) {
        await register(here, `ben-${side}`);
        const made = await ask(here, 'default/tokens', { name: side, role: 'viewer' });
        const { token } = made.json<{ data: { token: string } }>().data;
        const signedIn = await ask(here, 'auth/sign-in', person(`ben-${side}`), {
          ...{ credentials: 'none', headers: { 'x-millrace-console': '1' } },
        });
        const cookie = signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
        const session = { 'x-millrace-console': '1', cookie };
        const passcode = (await ask(here, 'default/passcode')).json<{
          data: { user: string; passcode: string };
        }>().data;
        const basic = Buffer.from(`${passcode.user}:${passcode.passcode}`).toString('base64');
        const ways: readonly Record<string, string>[] = [
          { authorization: `Bearer ${token}` },
          session,
          { authorization: `Basic ${basic}` },
        ];
        const answers = (): Promise<number[]> =>
          Promise.all(
            ways.map((headers) => status(there, 'default/sql', { ...statement, headers })),
          );
        await until(async () => (await answers()).join() === '200,200,200');
        await ask(here, `default/tokens/${side}`, undefined, { method: 'DELETE' });
        const out = { method: 'POST', credentials: 'none', headers: session } as const;
        await ask(here, 'auth/sign-out', undefined, out);
        await ask(here, 'default/passcode', undefined, { method: 'PUT' });
        await until(async () => (await answers()).join() === '401,401,401');
      }
    },
    TIMEOUT_MS,
  );

  it(
    'see settings and deletions of streams, and give a name that is free again to one stream',
    async () => {
      for (const [here, there, side] of sides) {
        const shop = `shop_${side}`;
        const schema = (server: Server) => server.client.call(`/api/default/${shop}/schema`);
        await here.client.upload(shop, [{ item: 'tea' }]);
        await ask(
          there,
          `default/streams/${shop}/settings`,
          { data_retention: 30 },
          { method: 'PUT' },
        );
        await until(async () => (await schema(here)).bytes.includes('"data_retention":30'));
        await ask(there, `default/streams/${shop}`, undefined, { method: 'DELETE' });
        await until(async () => (await schema(here)).status === 404);
        await Promise.all(sides.map(([server]) => server.client.upload(shop, [{ item: 1 }])));
        for (const [server] of sides)
          expect(await server.client.sql(`SELECT item FROM ${shop}`)).toEqual([
            { item: 1 },
            { item: 1 },
          ]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'store an upload once that comes to both, at once or later, under one Idempotency-Key',
    async () => {
      for (const [here, there, side] of sides) {
        const headers = { 'idempotency-key': `key-${side}` };
        const records = [{ n: 1 }, { n: 2 }];
        const first = await here.client.upload(`once_${side}`, records, headers);
        expect(await there.client.upload(`once_${side}`, records, headers)).toEqual(first);
        expect(await here.client.count(`once_${side}`)).toBe(2);
      }
      const headers = { 'idempotency-key': 'at-once' };
      await Promise.all(sides.map(([server]) => server.client.upload('once', [{ n: 1 }], headers)));
      for (const [server] of sides) expect(await server.client.count('once')).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    'refuse what an event that they do not know is about, and nothing else',
    async () => {
      const whole = await verify();
      expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/default: .*intact/)]);
      const { MILLRACE_SECRET_KEY = '' } = nodes().variables();
      const key = new ServerKey(Buffer.from(MILLRACE_SECRET_KEY, 'base64'));
      const log = { warn: () => undefined, error: () => undefined };
      const store = authenticEvents(
        openEventStoreDb({ url: nodes().events.url, log }),
        key,
        0n,
        new NotOurs(log),
      );
      try {
        let organization = '';
        for await (const { type, data, stream } of store.readAll())
          if (type === 'OrganizationCreated' && (data as { name: string }).name === 'older-co')
            organization = stream;
        await store.append(organization, [newEvent('OrganizationPraised', { by: 'A' })], 'any');
      } finally {
        await store.close();
      }
      const rotates = (server: Server, name: string): Promise<number> =>
        status(server, `${name}/passcode`, { method: 'PUT' });
      for (const [server, other] of sides) {
        await until(async () => (await rotates(server, 'older-co')) === 503);
        expect(await rotates(server, 'newer-co')).toBe(200);
        await ask(server, 'older-co/things/_json?wait=true', [{ n: 2 }]);
        await until(async () => (await rotates(other, 'default')) === 200);
      }
    },
    TIMEOUT_MS,
  );

  /** Uses everything once: the other does not run. */
  const servesAlone = async (server: Server, name: string): Promise<void> => {
    await register(server, name);
    await server.client.upload('logs', [{ n: 3, [name]: true }]);
    await server.client.upload(name, [{ n: 1 }]);
    expect(await letsIn(server, name)).toBe(true);
    expect(await server.client.sql(`SELECT n FROM logs WHERE ${name}`)).toEqual([{ n: 3 }]);
  };

  it(
    'serve alone when the other stops, and go on together after an upgrade and a way back',
    async () => {
      expect(await older.stop()).toBe(0);
      await servesAlone(newer, 'upgraded');
      await nodes().startNode(0, {}, release.main);
      expect(await newer.stop()).toBe(0);
      expect(await letsIn(older, 'upgraded')).toBe(true);
      expect(await older.client.count('upgraded')).toBe(1);
      await servesAlone(older, 'back');
      await nodes().startNode(1);
      for (const [here, there, side] of sides) {
        await register(here, `late-${side}`);
        await until(() => letsIn(there, `late-${side}`));
        expect(await here.client.count('logs')).toBe(6);
        expect(await here.client.count('back')).toBe(1);
      }
      const { code, stdout } = await verify();
      expect([code, stdout.match(/NOT INTACT/)]).toEqual([1, null]);
      expect(stdout).toMatch(/default: \d+ entries, intact/);
      expect(stdout.match(/^not understood.*/gm)).toEqual([
        expect.stringContaining('OrganizationPraised'),
      ]);
    },
    TIMEOUT_MS,
  );
});
