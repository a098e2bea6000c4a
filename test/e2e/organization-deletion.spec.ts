import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Answer, Call } from '../server/client.js';
import { basic, TailReader } from '../server/tail-reader.js';
import { until } from '../server/until.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const ANN = { email: 'ann@example.com', password: 'Secret-Number-1' };
const BEA = { email: 'bea@example.com', password: 'Secret-Number-2' };
const VIC = { email: 'vic@example.com', password: 'Secret-Number-3' };
type Credentials = typeof ANN;

interface Hit {
  readonly type: string;
  readonly actor: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Ann administers `acme` and others that are made here, Bea `beta`; Vic is a viewer of `acme`. */
describe('organizations that end', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-ends-'));
  let server: Server;
  const start = (): Promise<Server> =>
    startServer({ dataDirectory, variables: { MILLRACE_ACCOUNT_ORGANIZATIONS: '3' } });
  const ask = (path: string, call: Call = {}): Promise<Answer> => server.client.call(path, call);
  const json = (body: unknown): Pick<Call, 'body'> => ({ body: JSON.stringify(body) });
  const as = (credentials: Credentials, path: string, call: Call = {}): Promise<Answer> =>
    ask(path, { ...call, credentials });
  const found = async (org: string, credentials = ANN): Promise<void> => {
    const answer = await as(
      credentials,
      `/api/${org}/users/${VIC.email}`,
      json({ role: 'viewer' }),
    );
    expect(answer.status).toBe(200);
    const accepted = await as(VIC, `/api/invitations/${org}/accept`, { method: 'POST' });
    expect(accepted.status).toBe(200);
  };
  const upload = (org: string, credentials: Credentials, rows: unknown = [{ n: 1 }]) =>
    as(credentials, `/api/${org}/logs/_json?wait=true`, json(rows));
  const count = (org: string, credentials: Credentials): Promise<Answer> =>
    as(credentials, `/api/${org}/sql`, { body: 'SELECT count() AS n FROM logs' });
  const end = (org: string, credentials: Credentials, name = org): Promise<Answer> =>
    as(credentials, `/api/${org}`, { method: 'DELETE', ...json({ name }) });
  const audit = async (type: string): Promise<readonly Hit[]> =>
    (await ask(`/api/default/audit?type=${type}`)).json<{ hits: Hit[] }>().hits;
  const organizations = async (credentials: Credentials) => {
    const answer = await as(credentials, '/api/organizations');
    const { data } = answer.json<{ data: { id: number; identifier: string; name: string }[] }>();
    return data;
  };
  const named = async (credentials: Credentials): Promise<string[]> =>
    (await organizations(credentials)).map(({ identifier }) => identifier);
  /** The engine keeps each database in a file of its name. */
  const databases = (): string[] =>
    readdirSync(join(dataDirectory, 'warehouse/store/metadata')).filter((file) =>
      /^o_\w+\.sql$/.test(file),
    );

  beforeAll(async () => {
    server = await start();
    for (const user of [ANN, BEA, VIC]) {
      const person = { ...user, first_name: 'A', last_name: 'B', role: 'viewer' };
      expect((await ask('/api/default/users', json(person))).status).toBe(200);
    }
    await found('acme');
    await found('beta', BEA);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('are ended by nobody who is not root or an admin of them', async () => {
    expect((await upload('acme', ANN)).status).toBe(200);
    const passcode = (await as(ANN, '/api/acme/passcode')).json<{ data: { passcode: string } }>();
    const made = await as(ANN, '/api/acme/tokens', json({ name: 't', role: 'editor' }));
    const { token } = made.json<{ data: { token: string } }>().data;
    const call = { method: 'DELETE', ...json({ name: 'acme' }) };
    const bearer = { credentials: 'none', headers: { authorization: `Bearer ${token}` } } as const;
    const answers = [
      await end('acme', VIC),
      await end('acme', BEA),
      await as({ ...ANN, password: passcode.data.passcode }, '/api/acme', call),
      await ask('/api/acme', { ...call, ...bearer }),
      await end('default', ANN),
      await ask('/api/acme', { ...call, credentials: 'none' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 401]);
    // A stranger is told the same as of one that does not exist.
    const told = (await end('acme', BEA)).json<{ message: string }>().message;
    const nowhere = (await end('acmo', BEA)).json<{ message: string }>().message;
    expect(nowhere).toBe(told.replaceAll('acme', 'acmo'));
    expect((await count('acme', ANN)).json()).toEqual([{ n: 1 }]);
  });

  it('are ended by their own name only, and default never', async () => {
    const answers = [
      await end('acme', ANN, 'beta'),
      await as(ANN, '/api/acme', { method: 'DELETE' }),
      await as(ANN, '/api/acme', { method: 'DELETE', ...json({}) }),
      await ask('/api/default', { method: 'DELETE', ...json({ name: 'default' }) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 403]);
    expect(await named(ANN)).toEqual(['acme', 'default']);
  });

  it('leave nothing behind that anybody could reach, and their name free', async () => {
    const before = databases();
    await found('gone');
    await upload('gone', ANN, [{ secret: 'old' }, 7]);
    const [own] = databases().filter((each) => !before.includes(each));
    const { passcode } = (await as(ANN, '/api/gone/passcode')).json<{
      data: { passcode: string };
    }>().data;
    const made = await as(ANN, '/api/gone/tokens', json({ name: 't', role: 'editor' }));
    const { token } = made.json<{ data: { token: string } }>().data;
    const invite = await as(ANN, `/api/gone/users/${BEA.email}`, json({ role: 'admin' }));
    expect(invite.json()).toMatchObject({ message: 'Invitation sent' });
    const signIn = await ask('/api/auth/sign-in', { ...json({ token }), credentials: 'none' });
    const cookie = String(signIn.headers['set-cookie']).split(';', 1)[0] ?? '';
    const number = (await organizations(ANN)).find(({ identifier }) => identifier === 'gone')?.id;

    const answer = await end('gone', ANN);
    expect([answer.status, answer.json()]).toEqual([
      200,
      { code: 200, message: 'organization deleted' },
    ]);
    expect(databases()).not.toContain(own);
    const bearer = { credentials: 'none', headers: { authorization: `Bearer ${token}` } } as const;
    const statuses = async (): Promise<number[]> => {
      const answers = [
        await count('gone', ANN),
        await count('gone', VIC),
        await as({ ...ANN, password: passcode }, '/api/gone/sql', { body: 'SELECT 1' }),
        await ask('/api/gone/sql', { body: 'SELECT 1', ...bearer }),
        await ask('/api/auth/session', { credentials: 'none', headers: { cookie } }),
        await as(BEA, '/api/invitations/gone/accept', { method: 'POST' }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([403, 403, 401, 401, 401, 404]);
    expect((await count('gone', ROOT)).status).toBe(404); // prettier-ignore
    expect(await named(ANN)).toEqual(['acme', 'default']);
    expect(await named(VIC)).toEqual(['acme', 'beta', 'default']);
    expect((await as(BEA, '/api/invitations')).json()).toMatchObject({ data: [] });

    // The organization belongs to somebody else and has no data of the old one; its former owner
    // has no part in it.
    await found('gone', BEA);
    expect(await statuses()).toEqual([403, 404, 401, 401, 401, 404]);
    expect((await as(BEA, '/api/gone/streams')).json()).toMatchObject({ list: [], total: 0 });
    expect((await as(BEA, '/api/gone/sql', { body: 'SELECT * FROM _rejected' })).json()).toEqual(
      [],
    );
    const trail = (await as(BEA, '/api/gone/audit')).json<{ hits: Hit[] }>().hits;
    expect(trail.map(({ actor }) => actor)).not.toContain(ANN.email);
    await upload('gone', BEA, [{ n: 1 }, { n: 2 }]);
    expect((await as(BEA, '/api/gone/sql', { body: 'SELECT * FROM logs' })).bytes.toString()).not.toContain('old'); // prettier-ignore
    const anew = (await organizations(BEA)).find(({ identifier }) => identifier === 'gone')?.id;
    expect(anew).not.toBe(number);
    expect((await end('gone', BEA)).status).toBe(200);
  });

  it('tell in the trail of default who ended them, and give their founder room for others', async () => {
    await found('one');
    await found('two');
    expect((await as(ANN, `/api/more/users/${VIC.email}`, json({ role: 'viewer' }))).status).toBe(
      403,
    );
    expect((await end('two', ANN)).status).toBe(200);
    await found('more');

    for (const org of ['one', 'more']) expect((await end(org, ROOT)).status).toBe(200);
    const hits = (await audit('OrganizationDeleted')).filter(({ data }) => data.name !== 'gone');
    expect(hits.map(({ actor, data }) => [data.name, actor])).toEqual([
      ['more', ROOT.email],
      ['one', ROOT.email],
      ['two', ANN.email],
    ]);
    expect(Object.keys(hits[0]?.data ?? {}).sort()).toEqual(['name', 'organizationId']);
  });

  it('end uploads that are on their way with a clear 404, and nothing of those is stored', async () => {
    await found('away');
    await upload('away', ANN);
    const body = new PassThrough();
    const known = as(ANN, '/api/away/logs/_json', { body });
    const fresh = new PassThrough();
    const unknown = as(ANN, '/api/away/fresh/_json', { body: fresh });
    const bulk = new PassThrough();
    const items = as(ANN, '/api/away/_bulk', { body: bulk });
    const tail = new TailReader('/api/away/logs/_tail', basic(ANN.email, ANN.password));
    expect((await tail.connect(server.url)).status).toBe(200);
    const lines = `${JSON.stringify({ n: 2, more: 'x'.repeat(1000) })}\n`.repeat(200);
    for (const each of [body, fresh]) if (!each.write(lines)) await once(each, 'drain');
    bulk.write('{"create":{"_index":"logs"}}\n{"n":3}\n');
    expect((await end('away', ANN)).status).toBe(200);
    for (const each of [body, fresh, bulk]) each.end();
    for (const answer of [await known, await unknown]) {
      expect(answer.status).toBe(404);
      expect(answer.json<{ message: string }>().message).toMatch(/was deleted meanwhile/);
    }
    const { status, bytes } = await items;
    expect([status, bytes.toString()]).toEqual([expect.any(Number), expect.stringMatching(/deleted meanwhile/)]); // prettier-ignore
    await until(() => Promise.resolve(tail.end() !== undefined));
    expect(tail.end()).toMatch(/^(?:refused|deleted)$/);
    // Batches of it that were still on the queue do not hold anybody up.
    expect((await upload('acme', ANN)).status).toBe(200);
  });

  it('take what no table took with them', async () => {
    const before = databases();
    await found('dead');
    await upload('dead', ANN);
    const [file = ''] = databases().filter((each) => !before.includes(each));
    await server.stop();
    const folder = join(dataDirectory, 'dead-letter');
    mkdirSync(folder, { recursive: true });
    const others = { database: 'o_other', table: 'logs' };
    for (const [offset, headers] of [
      [900_001, { ...others, database: basename(file, '.sql') }],
      [900_002, others],
    ] as const) {
      const letter = { partition: 0, offset: String(offset), key: 'k', headers, reason: 'none' };
      writeFileSync(join(folder, `0-${offset}.json`), JSON.stringify({ ...letter, lost: true }));
    }
    server = await start();
    expect((await end('dead', ANN)).status).toBe(200);
    expect(readdirSync(folder)).toEqual(['0-900002.json']);
  });

  it('are shown by another name, and asked for by their own', async () => {
    const rename = (credentials: Credentials, name: unknown): Promise<Answer> =>
      as(credentials, '/api/acme/rename', { method: 'PUT', ...json({ new_name: name }) });
    expect((await rename(ANN, ' Acme & Söhne ')).json()).toMatchObject({
      identifier: 'acme',
      name: 'Acme & Söhne',
    });
    const shown = async (): Promise<string[]> =>
      (await organizations(VIC)).flatMap(({ identifier, name }) => `${identifier}: ${name}`);
    expect(await shown()).toContain('acme: Acme & Söhne');
    expect((await count('acme', VIC)).status).toBe(200);
    const wrong = ['', 'x'.repeat(101), 'a\nb', 'a\u202eb', 7].map((name) => rename(ANN, name));
    expect((await Promise.all(wrong)).map(({ status }) => status)).toEqual(Array(5).fill(400));
    expect((await rename(VIC, 'x')).status).toBe(403);
    expect((await rename(BEA, 'x')).status).toBe(403);
    const trail = (await as(ANN, '/api/acme/audit?type=OrganizationRenamed')).json<{
      hits: Hit[];
    }>();
    expect(trail.hits.map(({ actor, data }) => [actor, data.displayName])).toEqual([
      [ANN.email, 'Acme & Söhne'],
    ]);
  });
});
