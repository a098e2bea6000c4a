import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';
const MANY = 50;

/** Fifty requests at once for something that only one of them can have. */
describe('commands at the same time', () => {
  let server: Server;

  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers = {},
    credentials = ROOT,
  ): Promise<Answer> =>
    server.client.call(path, {
      method,
      credentials,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const person = (name: string, more = {}) => ({
    email: `${name}@example.com`,
    first_name: name,
    last_name: 'X',
    password: PASSWORD,
    role: 'viewer',
    ...more,
  });
  const atOnce = (send: (n: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: MANY }, (_, n) => send(n)));
  const statuses = (answers: readonly Answer[]): Record<number, number> => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const members = async (org: string): Promise<Record<string, Record<string, unknown>>> => {
    const { data } = (await call('GET', `/api/${org}/users`)).json<{
      data: { email: string }[];
    }>();
    return Object.fromEntries(data.map((each) => [each.email, each]));
  };
  const countOf = async (type: string): Promise<number> =>
    (await call('GET', `/api/default/audit?type=${type}&size=1`)).json<{ total: number }>().total;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('one of them gets the e-mail', async () => {
    const answers = await atOnce((n) =>
      call('POST', '/api/default/users', person('one', { first_name: `N${n}` })),
    );
    expect(statuses(answers)).toEqual({ 200: 1, 400: MANY - 1 });
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await members('default'))['one@example.com']).toMatchObject({
      first_name: `N${winner}`,
    });
  });

  it('fifty different people all come, and who asks finds them at once', async () => {
    const answers = await atOnce(async (n) => {
      const answer = await call('POST', '/api/default/users', person(`p${n}`));
      expect(Object.keys(await members('default'))).toContain(`p${n}@example.com`);
      return answer;
    });
    expect(statuses(answers)).toEqual({ 200: MANY });
  });

  it('one organization is made by fifty who add somebody to it', async () => {
    const answers = await atOnce((n) =>
      call('POST', `/api/acme/users/p${n}@example.com`, { role: 'editor' }),
    );
    expect(statuses(answers)).toEqual({ 200: MANY });
    const all = await members('acme');
    for (let n = 0; n < MANY; n += 1)
      expect(all[`p${n}@example.com`]).toMatchObject({ role: 'editor' });
    const { data } = (await call('GET', '/api/organizations')).json<{ data: { name: string }[] }>();
    expect(data.map(({ name }) => name)).toEqual(['acme', 'default']);
  });

  it('one stream is made by fifty uploads, and no row is lost or doubled', async () => {
    const answers = await atOnce((n) =>
      call('POST', '/api/default/made/_json?wait=true', [{ n, [`c${n % 7}`]: n }]),
    );
    expect(statuses(answers)).toEqual({ 200: MANY });
    expect(
      await server.client.sql('SELECT count() AS rows, uniqExact(n) AS different FROM made'),
    ).toEqual([{ rows: MANY, different: MANY }]);
    expect(await countOf('StreamCreated')).toBe(1);
  });

  it('no change of settings is lost', async () => {
    const columns = Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`k${n}`, 'Utf8']));
    await call('POST', '/api/default/made/settings', { columns });
    const answers = await atOnce((n) =>
      call('POST', '/api/default/made/settings', { partition_keys: { add: [`k${n}`] } }),
    );
    expect(statuses(answers)).toEqual({ 200: MANY });
    const { settings } = (await call('GET', '/api/default/made/schema')).json<{
      settings: { partition_keys: string[] };
    }>();
    expect([...settings.partition_keys].sort()).toEqual(Object.keys(columns).sort());
  });

  it('no change of a role is lost: what is told last is what is there', async () => {
    const roles = ['viewer', 'editor', 'member', 'admin'];
    await call('PUT', '/api/default/users/p1@example.com', { role: 'admin' });
    const answers = await atOnce((n) =>
      call('PUT', '/api/default/users/p0@example.com', { role: roles[n % 4] }),
    );
    expect(statuses(answers)).toEqual({ 200: MANY });
    const before = await members('default');
    expect(roles).toContain(before['p0@example.com']?.role);
  });

  it('an organization keeps one admin, whichever of them leaves first', async () => {
    for (let n = 0; n < 10; n += 1)
      await call('PUT', `/api/acme/users/p${n}@example.com`, { role: 'admin' });
    const answers = await atOnce((n) => {
      const { email, password } = person(`p${n % 10}`);
      return call('DELETE', `/api/acme/users/${email}`, undefined, {}, { email, password });
    });
    // who asks twice is no admin the second time, or finds it done
    for (const { status } of answers) expect([200, 403, 404]).toContain(status);
    const admins = Object.values(await members('acme')).filter(({ role }) => role === 'admin');
    expect(admins).toHaveLength(1);
  });

  it('a stream is deleted once', async () => {
    const answers = await atOnce(() => call('DELETE', '/api/default/made'));
    const { 200: done = 0, 404: missing = 0, 409: conflicts = 0 } = statuses(answers);
    expect([done + missing + conflicts, done > 0]).toEqual([MANY, true]);
    expect(await countOf('StreamDeleted')).toBe(1);
  });

  it('a command sent fifty times with one key is done once, and answered alike', async () => {
    const key = { 'idempotency-key': 'sent-again-and-again' };
    const before = await countOf('UserRegistered');
    const answers = await atOnce(() => call('POST', '/api/default/users', person('again'), key));
    expect(statuses(answers)).toEqual({ 200: MANY });
    expect(await countOf('UserRegistered')).toBe(before + 1);
    const rotated = await atOnce(() => call('PUT', '/api/default/passcode', undefined, key));
    expect(new Set(rotated.map(({ bytes }) => bytes.toString())).size).toBe(1);
  });
});
