import { request } from 'node:http';
import type { Answer, Call } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';
import { storedFiles } from '../server/stored-files.js';
import { until } from '../server/until.js';

interface Made {
  readonly name: string;
  readonly token: string;
}
type Wanted = Readonly<Record<string, unknown>>;

const ANN = { email: 'ann@example.com', password: 'Secret-Number-1' };
const BEA = { email: 'bea@example.com', password: 'Secret-Number-2' };
const WRONG = `mr_${'x'.repeat(43)}`;

describe('a token', () => {
  let server: Server;
  let addresses = 0;
  const ask = (path: string, call: Call = {}): Promise<Answer> => server.client.call(path, call);
  const make = (wanted: Wanted, org = 'acme', credentials = ANN): Promise<Answer> =>
    ask(`/api/${org}/tokens`, { body: JSON.stringify(wanted), credentials });
  const made = async (wanted: Wanted, org?: string): Promise<Made> => {
    const answer = await make({ role: 'editor', ...wanted }, org);
    expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
    return answer.json<{ data: Made }>().data;
  };
  /** Each call comes from an address of its own, or failures would add up. */
  const from = (authorization: string): Record<string, string> => ({
    authorization,
    'x-forwarded-for': `203.0.113.${(addresses += 1)}`,
  });
  const as = (token: string, path: string, call: Call = {}): Promise<Answer> =>
    ask(path, {
      ...call,
      credentials: 'none',
      headers: { ...from(`Bearer ${token}`), ...call.headers },
    });
  const sql = (token: string, body: string, org = 'acme'): Promise<Answer> =>
    as(token, `/api/${org}/sql`, { body });
  const upload = (token: string, stream = 'logs'): Promise<Answer> =>
    as(token, `/api/acme/${stream}/_json?wait=true`, { body: '[{"n":1}]' });
  const revoke = async (name: string): Promise<void> => {
    const call = { method: 'DELETE', credentials: ANN };
    expect((await ask(`/api/acme/tokens/${name}`, call)).status).toBe(200);
  };
  const listed = async (): Promise<{ name: string }[]> =>
    (await ask('/api/acme/tokens', { credentials: ANN })).json<{ data: { name: string }[] }>().data;

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.0/8' } });
    for (const [user, org] of [
      [ANN, 'acme'],
      [BEA, 'beta'],
    ] as const) {
      const person = { ...user, first_name: 'A', last_name: 'B', role: 'viewer' };
      await ask('/api/default/users', { body: JSON.stringify(person) });
      await ask(`/api/${org}/users/${user.email}`, { body: '{"role":"admin"}' });
    }
  });
  afterAll(() => server.stop());

  it('is made by an admin, told once, and listed without its secret', async () => {
    const answer = await make({ name: 'shipper', role: 'editor', streams: ['logs', 'logs'] });
    expect(answer.status).toBe(200);
    const { data } = answer.json<{ code: number; data: Made }>();
    expect(data).toEqual({
      name: 'shipper',
      role: 'editor',
      streams: ['logs'],
      expires_at: null,
      created_at: expect.any(Number) as unknown,
      created_by: ANN.email,
      token: expect.stringMatching(/^mr_[\w-]{43}$/) as unknown,
    });
    const { token, ...rest } = data;
    expect(await listed()).toEqual([rest]);
    expect((await upload(token)).status).toBe(200);
    expect((await sql(token, 'SELECT n FROM logs')).json()).toEqual([{ n: 1 }]);
    expect((await make({ name: 'shipper', role: 'viewer' })).json()).toMatchObject({ code: 400 });
    const again = { body: '{"name":"again","role":"viewer"}', credentials: ANN };
    const keyed = { ...again, headers: { 'idempotency-key': 'once' } };
    expect((await ask('/api/acme/tokens', keyed)).status).toBe(200);
    expect((await ask('/api/acme/tokens', keyed)).status).toBe(409);
    expect(await listed()).toHaveLength(2);
    await revoke('again');
  });

  it.each<[string, Wanted]>([
    ['no name', { role: 'viewer' }],
    ['no role', { name: 'x' }],
    ['the role of an admin', { name: 'x', role: 'admin' }],
    ['the role of root', { name: 'x', role: 'root' }],
    ['a name with a blank', { name: 'a b', role: 'viewer' }],
    ['a name that is a path', { name: '../x', role: 'viewer' }],
    ['a long name', { name: 'x'.repeat(64), role: 'viewer' }],
    ['no streams', { name: 'x', role: 'viewer', streams: [] }],
    ['too many streams', { name: 'x', role: 'viewer', streams: Array(101).fill('a') }],
    ['our own stream', { name: 'x', role: 'viewer', streams: ['_rejected'] }],
    ['a pattern', { name: 'x', role: 'viewer', streams: ['logs*'] }],
    ['an end in the past', { name: 'x', role: 'viewer', expires_at: 1_600_000_000_000_000 }],
    ['an end in seconds', { name: 'x', role: 'viewer', expires_at: 4_102_444_800 }],
    ['an end as a text', { name: 'x', role: 'viewer', expires_at: '2100-01-01' }],
    ['an unknown key', { name: 'x', role: 'viewer', scope: 'all' }],
  ])('is not made with %s', async (_what, wanted) => {
    expect((await make(wanted)).status).toBe(400);
    expect((await listed()).some(({ name }) => name === 'x')).toBe(false);
  });

  it('opens what its role may, and no account', async () => {
    const outcomes: Record<string, number[]> = {};
    for (const role of ['editor', 'member', 'viewer']) {
      const { token, name } = await made({ name: role, role });
      const calls: [string, Call][] = [
        ['/api/acme/sql', { body: 'SELECT 1' }],
        ['/api/acme/streams', {}],
        ['/api/acme/logs/_json', { body: '[{"n":1}]' }],
        ['/api/acme/logs/settings', { body: '{"partition_keys":["n"]}' }],
        ['/api/acme/logs/settings', { body: '{"data_retention":1}' }],
        ['/api/acme/streams/logs', { method: 'DELETE' }],
        ['/api/acme/summary', {}],
        ['/api/acme/catalog', { body: '{"query":"{ streams { name } }"}' }],
        ['/api/acme/audit', {}],
        ['/api/acme/passcode', {}],
        ['/api/acme/users', {}],
        ['/api/acme/tokens', {}],
        ['/api/acme/tokens', { body: '{"name":"more","role":"viewer"}' }],
        [`/api/acme/tokens/${name}`, { method: 'DELETE' }],
        ['/api/acme/organizations', {}],
        ['/api/organizations', {}],
        ['/api/invitations', {}],
        ['/api/acme/users/x@example.com', { body: '{"role":"admin"}' }],
        ['/metrics', {}],
      ];
      outcomes[role] = [];
      for (const [path, call] of calls) outcomes[role].push((await as(token, path, call)).status);
      await revoke(name);
    }
    const closed = Array<number>(13).fill(403);
    const writes = [200, 200, 200, 200, 403, 403, ...closed];
    expect(outcomes).toEqual({
      editor: writes,
      member: writes,
      viewer: [200, 200, 403, 403, 403, 403, ...closed],
    });
  });

  it('opens nothing where it is wrong, and all that is wrong is answered alike', async () => {
    const { token } = await made({ name: 'good', role: 'viewer' });
    const { token: gone } = await made({ name: 'gone', role: 'viewer' });
    await revoke('gone');
    const basic = Buffer.from(`${ANN.email}:${token}`).toString('base64');
    const wrong = new Set<string>();
    for (const [authorization, org] of [
      [`Bearer ${WRONG}`],
      [`Bearer ${gone}`],
      [`Bearer ${token}`, 'beta'],
      [`Bearer ${token}`, 'nowhere'],
      [`Bearer ${token}x`],
      [`Bearer ${token.slice(0, -1)}`],
      [`Bearer ${token.toUpperCase()}`],
      [`Bearer ${token} ${token}`],
      [`Bearer "${token}"`],
      ['Bearer'],
      ['Bearer '],
      [`Bearer ${'mr_'.repeat(4000)}`],
    ]) {
      const headers = from(authorization ?? '');
      const path = `/api/${org ?? 'acme'}/sql`;
      const answer = await ask(path, { body: 'SELECT 1', credentials: 'none', headers });
      expect([authorization?.slice(0, 60), answer.status]).toEqual([expect.anything(), 401]);
      expect(answer.headers['www-authenticate']).toBe(
        'Basic realm="millrace", Bearer realm="millrace", error="invalid_token"',
      );
      wrong.add(answer.bytes.toString());
    }
    expect([...wrong]).toHaveLength(1);
    for (const authorization of [token, `Token ${token}`, `Basic ${token}`, `Basic ${basic}`]) {
      const call = { body: 'SELECT 1', credentials: 'none' as const, headers: from(authorization) };
      expect((await ask('/api/acme/sql', call)).status).toBe(401);
    }
    for (const scheme of ['bearer', 'BEARER', 'Bearer ', 'beAReR']) {
      const headers = from(`${scheme} ${token}`);
      const call = { body: 'SELECT 1', credentials: 'none' as const, headers };
      expect((await ask('/api/acme/sql', call)).status).toBe(200);
    }
    await revoke('good');
  });

  it('is taken from one header only', async () => {
    const { token } = await made({ name: 'placed', role: 'viewer' });
    const elsewhere: [string, Call][] = [
      [`/api/acme/sql?access_token=${token}`, { body: 'SELECT 1' }],
      [`/api/acme/sql?query=SELECT+1&token=${token}`, {}],
      ['/api/acme/sql', { body: `access_token=${token}` }],
      ['/api/acme/sql', { body: 'SELECT 1', headers: { cookie: `token=${token}` } }],
      ['/api/acme/sql', { body: 'SELECT 1', headers: { 'x-auth-token': token } }],
    ];
    for (const [path, call] of elsewhere)
      expect((await ask(path, { ...call, credentials: 'none' })).status).toBe(401);
    const twice = (...authorization: string[]): Promise<number> =>
      new Promise((resolve, reject) => {
        const url = new URL('/api/acme/streams', server.url);
        const headers = authorization.flatMap((each) => ['Authorization', each]);
        const sent = request(url, { headers: ['Host', url.host, ...headers] });
        sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0));
        sent.on('error', reject).end();
      });
    const basic = `Basic ${Buffer.from(`${ANN.email}:${ANN.password}`).toString('base64')}`;
    expect(await twice(`Bearer ${token}`)).toBe(200);
    expect(await twice(`Bearer ${token}`, `Bearer ${WRONG}`)).toBe(401);
    expect(await twice(`Bearer ${token}`, `Bearer ${token}`)).toBe(401);
    expect(await twice(basic, `Bearer ${token}`)).toBe(401);
    await revoke('placed');
  });

  it('is dead once it is revoked, and a query that runs by then ends as it would', async () => {
    const { token } = await made({ name: 'brief', role: 'viewer' });
    const running = sql(
      token,
      'SELECT sum(sleepEachRow(0)) AS s, count() AS n FROM numbers(1)',
    ).catch(() => undefined);
    const long = sql(token, 'SELECT max(cityHash64(number)) > 0 AS m FROM numbers(200000000)');
    await running;
    await revoke('brief');
    expect((await sql(token, 'SELECT 1')).status).toBe(401);
    expect([200, 408]).toContain((await long).status);
    expect(
      (await ask('/api/acme/tokens/brief', { method: 'DELETE', credentials: ANN })).status,
    ).toBe(404);
    const { token: next } = await made({ name: 'brief', role: 'viewer' });
    expect((await sql(next, 'SELECT 1')).status).toBe(200);
    expect((await sql(token, 'SELECT 1')).status).toBe(401);
    await revoke('brief');
  });

  it('ends when its time has come; its name is free then', async () => {
    const soon = (Date.now() + 1500) * 1000;
    const { token } = await made({ name: 'timed', role: 'viewer', expires_at: soon });
    expect((await sql(token, 'SELECT 1')).status).toBe(200);
    await until(async () => (await sql(token, 'SELECT 1')).status === 401);
    expect(Date.now() * 1000).toBeGreaterThanOrEqual(soon);
    expect((await listed()).map(({ name }) => name)).toContain('timed');
    const { token: next } = await made({ name: 'timed', role: 'viewer' });
    expect((await sql(token, 'SELECT 1')).status).toBe(401);
    expect((await sql(next, 'SELECT 1')).status).toBe(200);
    await revoke('timed');
  });

  it('is in the audit trail by its name, and its secret nowhere', async () => {
    const { token } = await made({ name: 'traced' });
    await upload(token, 'traced_stream');
    await as(token, '/api/acme/users');
    await revoke('traced');
    await sql(token, 'SELECT 1');
    const trail = async () =>
      (await ask('/api/acme/audit?size=1000', { credentials: ANN })).json<{
        hits: { type: string; actor: string; actor_id?: string; data: object }[];
      }>().hits;
    await until(async () => (await trail()).some(({ type }) => type === 'TokenRevoked'));
    const hits = await trail();
    const of = (type: string, actor: string): unknown[] =>
      hits.filter((each) => each.type === type && each.actor === actor);
    expect(of('TokenMade', ANN.email).length).toBeGreaterThan(0);
    expect(of('TokenExpired', ANN.email)).toHaveLength(1);
    expect(of('TokenRevoked', ANN.email).length).toBeGreaterThan(0);
    expect(of('StreamCreated', 'token traced')).toHaveLength(1);
    expect(of('CommandRefused', 'token traced')).toHaveLength(1);
    expect(JSON.stringify(hits)).not.toMatch(/fingerprint/);
    for (const each of [JSON.stringify(hits), server.output()]) expect(each).not.toContain(token);
    const files = storedFiles(server.dataDirectory);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter(({ bytes }) => bytes.includes(token)).map(({ path }) => path)).toEqual([]);
  });

  it('stays when who made it leaves, and is listed with them', async () => {
    await ask(`/api/acme/users/${BEA.email}`, { body: '{"role":"admin"}' });
    const answer = await make({ name: 'left', role: 'viewer' }, 'acme', BEA);
    const { token } = answer.json<{ data: Made }>().data;
    await ask(`/api/acme/users/${BEA.email}`, { method: 'DELETE' });
    expect((await sql(token, 'SELECT 1')).status).toBe(200);
    expect((await listed()).find(({ name }) => name === 'left')).toMatchObject({
      created_by: BEA.email,
    });
    await revoke('left');
  });

  it('that is wrong again and again is slowed down at its address; a right one passes', async () => {
    const { token } = await made({ name: 'patient', role: 'viewer' });
    const headers = { authorization: `Bearer ${WRONG}`, 'x-forwarded-for': '198.51.100.7' };
    const call = { body: 'SELECT 1', credentials: 'none' as const, headers };
    const statuses: number[] = [];
    for (let n = 0; n < 15; n += 1) statuses.push((await ask('/api/acme/sql', call)).status);
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(statuses.at(-1)).toBe(429);
    const refused = await ask('/api/acme/sql', call);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const right = { ...headers, authorization: `Bearer ${token}` };
    expect((await ask('/api/acme/sql', { ...call, headers: right })).status).toBe(200);
    const trail = async () =>
      (await ask('/api/default/audit?size=1000&type=LoginFailed')).bytes.toString();
    await until(async () => (await trail()).includes('198.51.100.7'));
    await revoke('patient');
  });
});
