import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';
const PROXY = { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' };
const JSON_BODY = { 'content-type': 'application/json' };

interface SignedUp {
  readonly data: { readonly organization: string; readonly user: string; readonly token: string };
}

describe('signing up', () => {
  let dataDirectory: string;
  let server: Server;
  let made = 0;

  const start = (variables: Record<string, string>): Promise<Server> =>
    startServer({ dataDirectory, variables: { ...PROXY, ...variables } });
  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-sign-up-'));
    server = await start({ MILLRACE_SIGNUP: 'open' });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const email = (name: string): string => (name === 'root' ? ROOT.email : `${name}@example.com`);
  const person = (name: string) => ({
    email: email(name),
    first_name: name,
    last_name: 'Lee',
    password: PASSWORD,
  });
  /** Each call comes from a network of its own, unless the test says otherwise. */
  const address = (): string => {
    made += 1;
    return `10.${made >> 8}.${made & 255}.1`;
  };
  const signUp = (
    body: object,
    from = address(),
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    server.client.call('/api/signup', {
      method: 'POST',
      credentials: 'none',
      headers: { ...JSON_BODY, 'x-forwarded-for': from, ...headers },
      body: JSON.stringify(body),
    });
  const as = (name: string, method: string, path: string, body?: object): Promise<Answer> =>
    server.client.call(path, {
      method,
      credentials: name === 'root' ? ROOT : { email: email(name), password: PASSWORD },
      headers: { ...JSON_BODY, 'x-forwarded-for': address() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const enrol = async (name: string, organization = `${name}-co`): Promise<string> => {
    const answer = await signUp({ ...person(name), organization });
    expect([answer.status, answer.json()]).toEqual([200, expect.anything()]);
    const { data } = answer.json<SignedUp>();
    expect(data).toMatchObject({ organization, user: email(name) });
    return data.token;
  };
  const message = (answer: Answer): string => answer.json<{ message: string }>().message;
  const NOT_PROVEN = /nobody has proven yet/;

  it('gives an account, an organization of its own and a token that uploads and queries there', async () => {
    const token = await enrol('ann');
    const bearer = { authorization: `Bearer ${token}`, ...JSON_BODY };
    const call = (path: string, body: string) =>
      server.client.call(path, { method: 'POST', credentials: 'none', headers: bearer, body });
    const sent = await call('/api/ann-co/logs/_json?wait=true', '[{"level":"info"}]');
    expect(sent.status).toBe(200);
    const found = await call('/api/ann-co/sql', 'SELECT level FROM logs');
    expect(found.json()).toEqual([{ level: 'info' }]);
    expect((await call('/api/default/sql', 'SELECT 1')).status).toBe(401);
    const users = await as('ann', 'GET', '/api/ann-co/users');
    expect(users.json()).toMatchObject({
      data: [{ email: email('ann'), role: 'admin', email_proven: false }],
    });
    // Others have their rows in `default`.
    const own = (await as('ann', 'GET', '/api/organizations')).json<{ data: { name: string }[] }>();
    expect(own.data.map(({ name }) => name)).toEqual(['ann-co']);
  });

  it('tells in the audit trail who signed up, and from where', async () => {
    await signUp({ ...person('aud'), organization: 'aud-co' }, '10.9.9.9');
    const trail = (await as('aud', 'GET', '/api/aud-co/audit?size=50')).json<{
      hits: { type: string; actor: string; address: string }[];
    }>();
    for (const type of ['UserRegistered', 'EmailUnproven', 'TokenMade'])
      expect(trail.hits).toContainEqual(
        expect.objectContaining({ type, actor: email('aud'), address: '10.9.9.9' }),
      );
    // There was no account yet to name.
    expect(trail.hits).toContainEqual(
      expect.objectContaining({ type: 'OrganizationCreated', address: '10.9.9.9' }),
    );
    expect(JSON.stringify(trail)).not.toMatch(/Secret-77|mr_/);
  });

  it('refuses what is taken or wrong, and then makes nothing', async () => {
    await enrol('bob');
    const cases: [object, number, RegExp][] = [
      [{ ...person('bob'), email: 'BOB@example.com', organization: 'bob-2' }, 400, /User already/],
      [{ ...person('root'), organization: 'bob-3' }, 400, /User already exists/],
      [{ ...person('bo2'), organization: 'bob-co' }, 400, /choose another name/],
      [{ ...person('bo2'), organization: 'default' }, 400, /choose another name/],
      [{ ...person('bo2'), organization: 'Bob Co' }, 400, /want 1 to 63/],
      [{ ...person('bo2'), organization: 'bo2', password: 'weak' }, 400, /password/],
      [{ ...person('bo2'), organization: 'bo2', email: 'bo2' }, 400, /e-mail/],
      [person('bo2'), 400, /organization/],
    ];
    for (const [body, status, words] of cases) {
      const answer = await signUp(body);
      expect([answer.status, message(answer)]).toEqual([status, expect.stringMatching(words)]);
    }
    const page = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const other = await signUp({ ...person('bo2'), organization: 'bo2' }, address(), page);
    expect(other.status).toBe(403);
    const all = (await as('root', 'GET', '/api/organizations')).json<{
      data: { name: string }[];
    }>();
    expect(all.data.map(({ name }) => name)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^bo2$|^bob-[23]$/)]),
    );
    // She can still sign up with her e-mail afterwards.
    await enrol('bo2');
  });

  it('makes one account of many sign-ups at the same moment', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => signUp({ ...person('cat'), organization: `cat-${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const rivals = await Promise.all(
      ['dan', 'dee', 'dov'].map((name) => signUp({ ...person(name), organization: 'd-co' })),
    );
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it('paces who signs up again and again from one place', async () => {
    const statuses = [];
    for (let n = 0; n < 11; n += 1)
      statuses.push(await signUp({ ...person('ann'), organization: `x${n}` }, '10.200.0.1'));
    expect(statuses.map(({ status }) => status)).toEqual([...Array<number>(10).fill(400), 429]);
    expect(Number(statuses[10]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('lets an e-mail that nobody has proven neither accept, see nor send invitations', async () => {
    // The real Eve is expected at a tenant that somebody else looks after.
    await as('root', 'POST', '/api/default/users', { ...person('boss'), role: 'viewer' });
    await as('boss', 'POST', `/api/corp/users/${email('boss')}`, { role: 'admin' });
    await as('boss', 'POST', `/api/corp/users/${email('eve')}`, { role: 'viewer' });
    await enrol('eve');
    const refused: [string, string, object?][] = [
      ['GET', '/api/invitations'],
      ['POST', '/api/invitations/corp/accept'],
      ['POST', '/api/invitations/corp/decline'],
      // The answer is the same whether there is one or not.
      ['POST', '/api/invitations/nothing/accept'],
      ['POST', `/api/eve-co/users/${email('boss')}`, { role: 'viewer' }],
      ['POST', `/api/eve-new/users/${email('boss')}`, { role: 'viewer' }],
    ];
    for (const [method, path, body] of refused) {
      const answer = await as('eve', method, path, body);
      expect([path, answer.status, message(answer)]).toEqual([
        path,
        403,
        expect.stringMatching(NOT_PROVEN),
      ]);
    }
    const all = (await as('root', 'GET', '/api/organizations')).bytes.toString();
    expect(all).not.toContain('eve-new');

    // An account that she has made cannot prove her address, and she cannot prove theirs.
    await as('eve', 'POST', '/api/eve-co/users', { ...person('eve2'), role: 'admin' });
    const prove = (by: string, whom: string): Promise<Answer> =>
      as(by, 'POST', `/api/eve-co/users/${email(whom)}/proven`);
    for (const [by, whom] of [
      ['eve', 'eve'],
      ['eve2', 'eve'],
      ['eve', 'eve2'],
      ['eve2', 'eve2'],
    ] as const)
      // prettier-ignore
      expect([by, whom, (await prove(by, whom)).status]).toEqual([by, whom, 403]);
    expect((await as('eve2', 'GET', '/api/invitations')).status).toBe(403);
    expect((await prove('boss', 'eve')).status).toBe(403);
    expect((await prove('root', 'boss')).status).toBe(404);

    expect((await prove('root', 'eve')).status).toBe(200);
    expect((await prove('root', 'eve')).status).toBe(200);
    expect((await as('eve', 'GET', '/api/invitations')).json()).toMatchObject({
      data: [{ organization: 'corp' }],
    });
    expect((await as('eve', 'POST', '/api/invitations/corp/accept')).status).toBe(200);
    // Now she may prove the addresses of the accounts that she has made.
    expect((await prove('eve2', 'eve2')).status).toBe(403);
    expect((await prove('eve', 'eve2')).status).toBe(200);
    expect((await as('eve2', 'GET', '/api/invitations')).status).toBe(200);
  });

  it('leaves nobody else with power over the account', async () => {
    await enrol('fay');
    const changed = { new_password: 'Other-88' };
    expect((await as('boss', 'PUT', `/api/corp/users/${email('fay')}`, changed)).status).toBe(404);
    await as('boss', 'POST', `/api/corp/users/${email('fay')}`, { role: 'viewer' });
    const members = (await as('boss', 'GET', '/api/corp/users')).bytes.toString();
    expect(members).not.toContain(email('fay'));
  });

  it('remembers after a restart, from snapshot and events, and is closed unless it is open', async () => {
    await enrol('gus');
    await server.stop();
    server = await start({});
    expect((await as('gus', 'GET', '/api/invitations')).status).toBe(403);
    expect((await as('eve', 'GET', '/api/invitations')).status).toBe(200);
    const closed = await signUp({ ...person('hal'), organization: 'hal-co' });
    expect([closed.status, message(closed)]).toEqual([
      403,
      expect.stringMatching(/nobody can sign/),
    ]);
    const about = await server.client.call('/api/signup', { credentials: 'none' });
    expect(about.json()).toEqual({ code: 200, data: { open: false, domains: [] } });
    await server.stop();
    server = await start({ MILLRACE_SIGNUP: 'open', MILLRACE_SIGNUP_DOMAINS: 'example.org' });
    const elsewhere = await signUp({ ...person('hal'), organization: 'hal-co' });
    expect([elsewhere.status, message(elsewhere)]).toEqual([
      403,
      expect.stringMatching(/addresses of example\.org only/),
    ]);
    const here = { ...person('hal'), email: 'hal@Example.ORG', organization: 'hal-co' };
    expect((await signUp(here)).status).toBe(200);
  });
});
