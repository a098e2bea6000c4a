import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerKey } from '@app/key-store';
import type { Answer, Call } from '../server/client.js';
import { borrowServer } from '../server/borrow-server.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const ANN = { email: 'ann@example.com', password: 'Secret-Number-1' };
const FOREIGN = 'https://evil.example';
/** Our own page sends these headers with every request. */
const OURS = { 'x-millrace-console': '1', 'sec-fetch-site': 'same-origin' };

describe('a session', () => {
  let server: Server;
  let addresses = 0;
  const ask = (path: string, call: Call = {}): Promise<Answer> =>
    server.client.call(path, { credentials: 'none', ...call });
  const address = (): Record<string, string> => ({
    'x-forwarded-for': `203.0.113.${(addresses += 1)}`,
  });
  const signIn = (secret: object, headers: Record<string, string> = {}): Promise<Answer> =>
    ask('/api/auth/sign-in', {
      body: JSON.stringify(secret),
      headers: { ...address(), ...OURS, ...headers },
    });
  const cookieOf = ({ headers }: Answer): string =>
    String(headers['set-cookie']?.[0]?.split(';', 1)[0]);
  const begin = async (secret: object = ANN): Promise<string> => {
    const answer = await signIn(secret);
    expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
    return cookieOf(answer);
  };
  const by = (cookie: string, path: string, call: Call = {}): Promise<Answer> =>
    ask(path, { ...call, headers: { ...OURS, ...call.headers, cookie } });
  const status = async (cookie: string): Promise<number> =>
    (await by(cookie, '/api/acme/sql', { body: 'SELECT 1' })).status;
  const asRoot = async (path: string, call: Call): Promise<Answer> => {
    const answer = await server.client.call(path, call);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer;
  };

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.0/8' } });
    const person = { ...ANN, first_name: 'A', last_name: 'B', role: 'viewer' };
    await asRoot('/api/default/users', { body: JSON.stringify(person) });
    await asRoot(`/api/acme/users/${ANN.email}`, { body: '{"role":"admin"}' });
  });
  afterAll(() => server.stop());

  it('begins with e-mail and password, and is a cookie that no script reads', async () => {
    const answer = await signIn(ANN);
    expect(answer.json()).toEqual({ code: 200, message: 'signed in' });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^millrace_session=v1\.[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    const decoded = Buffer.from(cookie.slice('millrace_session=v1.'.length), 'base64url');
    for (const secret of [ANN.password, ANN.email]) expect(decoded.includes(secret)).toBe(false);
    expect((await by(cookieOf(answer), '/api/auth/session')).json()).toEqual({
      code: 200,
      data: {
        email: ANN.email,
        first_name: 'A',
        last_name: 'B',
        root: false,
        organizations: [
          { name: 'acme', role: 'admin' },
          { name: 'default', role: 'viewer' },
        ].sort((a, b) => (a.name < b.name ? -1 : 1)),
        expires_at: expect.any(Number) as unknown,
      },
    });
  });

  it('goes over TLS only where it was begun so', async () => {
    const answer = await signIn(ANN, { 'x-forwarded-proto': 'https' });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; SameSite=Strict; Secure$/);
    // A proxy with TLS that is not believed: the page says what it was.
    const page = await signIn(ANN, { origin: `https://${new URL(server.url).host}` });
    expect(page.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  });

  it('is ended by one event, however often at once, and no cache keeps what it opened', async () => {
    const cookie = await begin();
    const { headers } = await by(cookie, '/api/acme/streams');
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    const ended = async (): Promise<number> =>
      (await asRoot('/api/default/audit?type=SessionEnded&size=1000', {})).json<{
        hits: unknown[];
      }>().hits.length;
    const before = await ended();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => by(cookie, '/api/auth/sign-out', { method: 'POST' })),
    );
    expect(new Set(answers.map((each) => each.status))).toEqual(new Set([200]));
    expect(await ended()).toBe(before + 1);
  });

  it('does what its account may, here and in no other organization', async () => {
    const cookie = await begin();
    expect(await status(cookie)).toBe(200);
    expect((await by(cookie, '/api/acme/users')).status).toBe(200);
    expect((await by(cookie, '/api/acme/logs/_json', { body: '[{"a":1}]' })).status).toBe(200);
    expect((await by(cookie, '/api/default/logs/_json', { body: '[{"a":1}]' })).status).toBe(403);
    expect((await by(cookie, '/api/nowhere/sql', { body: 'SELECT 1' })).status).toBe(403);
    expect((await by(cookie, '/graphiql')).status).toBe(200);
  });

  it('begins for nobody with what is wrong, and tells no browser to ask for a password', async () => {
    const wrong = [
      { ...ANN, password: 'wrong' },
      { email: 'nobody@example.com', password: ANN.password },
      { token: `mr_${'x'.repeat(43)}` },
    ];
    for (const secret of wrong) {
      const answer = await signIn(secret);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
      expect(answer.headers['www-authenticate']).toBe('Session realm="millrace"');
    }
    for (const body of ['', '{}', '{"email":"a@b.c"}', '[]', 'x'])
      expect((await ask('/api/auth/sign-in', { method: 'POST', body })).status).toBe(400);
    expect((await ask('/api/auth/session')).status).toBe(401);
    const { data } = (await server.client.call('/api/acme/passcode')).json<{
      data: { passcode: string };
    }>();
    expect((await signIn({ email: ANN.email, password: data.passcode })).status).toBe(401);
  });

  it('is paced as any login: who guesses is refused', async () => {
    const from = { ...OURS, 'x-forwarded-for': '198.51.100.7' };
    const body = (password: string): string =>
      JSON.stringify({ email: 'bob@example.com', password });
    const seen = new Set<number>();
    for (let tried = 0; tried < 40 && !seen.has(429); tried += 1)
      seen.add(
        (await ask('/api/auth/sign-in', { body: body(`guess ${tried}`), headers: from })).status,
      );
    expect([...seen]).toEqual([401, 429]);
  });

  it('is over after sign-out, for a copy of the cookie too', async () => {
    const [cookie, other] = [await begin(), await begin()];
    const answer = await by(cookie, '/api/auth/sign-out', { method: 'POST' });
    expect([answer.status, answer.headers['set-cookie']?.[0]]).toEqual([
      200,
      'millrace_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ]);
    expect([await status(cookie), await status(other)]).toEqual([401, 200]);
    expect((await by(cookie, '/api/auth/session')).status).toBe(401);
    expect((await by(cookie, '/api/auth/sign-out', { method: 'POST' })).status).toBe(200);
    const { hits } = (await server.client.call('/api/default/audit?type=SessionEnded')).json<{
      hits: { actor: string; data: unknown }[];
    }>();
    expect(hits[0]).toMatchObject({ actor: ANN.email });
  });

  it('is over when the password is changed, and its rights are those of now', async () => {
    const cookie = await begin();
    await asRoot(`/api/acme/users/${ANN.email}`, { method: 'PUT', body: '{"role":"viewer"}' });
    expect(await status(cookie)).toBe(200);
    expect((await by(cookie, '/api/acme/logs/_json', { body: '[{"a":1}]' })).status).toBe(403);
    await asRoot(`/api/acme/users/${ANN.email}`, { method: 'PUT', body: '{"role":"admin"}' });
    const password = 'Secret-Number-9';
    await asRoot(`/api/acme/users/${ANN.email}`, {
      method: 'PUT',
      body: JSON.stringify({ new_password: password }),
    });
    expect(await status(cookie)).toBe(401);
    const anew = await begin({ ...ANN, password });
    await asRoot(`/api/acme/users/${ANN.email}`, {
      method: 'PUT',
      body: JSON.stringify({ new_password: ANN.password }),
    });
    expect(await status(anew)).toBe(401);
  });

  it('is over when its account is gone from everywhere', async () => {
    const person = { email: 'eve@example.com', password: ANN.password };
    const body = { ...person, first_name: 'E', last_name: 'X', role: 'admin' };
    await asRoot('/api/acme/users', { body: JSON.stringify(body) });
    const cookie = await begin(person);
    expect(await status(cookie)).toBe(200);
    await asRoot(`/api/acme/users/${person.email}`, { method: 'DELETE' });
    expect(await status(cookie)).toBe(403);
    await asRoot(`/api/default/users/${person.email}`, { method: 'DELETE' });
    expect(await status(cookie)).toBe(401);
  });

  it('of a token has its role, its streams and its end', async () => {
    const wanted = { name: 'page', role: 'viewer', streams: ['logs'] };
    const made = await server.client.call('/api/acme/tokens', {
      body: JSON.stringify(wanted),
      credentials: ANN,
    });
    const { token } = made.json<{ data: { token: string } }>().data;
    const cookie = await begin({ token });
    expect((await by(cookie, '/api/auth/session')).json()).toMatchObject({
      data: { email: '', root: false, organizations: [{ name: 'acme', role: 'viewer' }] },
    });
    expect(await status(cookie)).toBe(200);
    expect((await by(cookie, '/api/acme/users')).status).toBe(403);
    expect((await by(cookie, '/api/acme/logs/_json', { body: '[{"a":1}]' })).status).toBe(403);
    expect((await by(cookie, '/api/beta/sql', { body: 'SELECT 1' })).status).toBe(403);
    const ended = await begin({ token });
    expect((await by(ended, '/api/auth/sign-out', { method: 'POST' })).status).toBe(200);
    expect([await status(ended), await status(cookie)]).toEqual([401, 200]);
    await server.client.call('/api/acme/tokens/page', { method: 'DELETE', credentials: ANN });
    expect(await status(cookie)).toBe(401);
  });

  it('opens nothing where it is changed, of another server, or none at all', async () => {
    const cookie = await begin();
    const middle = Math.floor(cookie.length / 2);
    const letter = cookie[middle] === 'A' ? 'B' : 'A';
    const other = await borrowServer();
    const foreign = await other.client.call('/api/auth/sign-in', {
      body: JSON.stringify(ROOT),
      credentials: 'none',
    });
    await other.giveBack();
    const bad = [
      cookie.slice(0, middle) + letter + cookie.slice(middle + 1),
      cookie.slice(0, -2),
      cookieOf(foreign),
      'millrace_session=',
      'millrace_session=v1.',
      'millrace_session="{}"',
      'x=1; millrace_session; y=2',
    ];
    for (const each of bad) expect([each, await status(each)]).toEqual([each, 401]);
    expect(await status(`first=1; ${cookie}; last=2`)).toBe(200);
  });

  it('is none to a page of another site, whatever that page may otherwise', async () => {
    const cookie = await begin();
    const pages = [
      { origin: FOREIGN, 'sec-fetch-site': 'cross-site' },
      { origin: FOREIGN, 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ];
    for (const page of pages)
      for (const call of [{ body: 'SELECT 1' }, { method: 'GET' }]) {
        const headers = { 'x-millrace-console': '1', ...page, cookie };
        const path = '/api/acme/sql?query=SELECT+1';
        expect((await ask(path, { ...call, headers })).status).toBe(403);
      }
    // A form of our own origin, which might be uploaded content, cannot set the header.
    const form = { cookie, 'sec-fetch-site': 'same-origin', origin: new URL(server.url).origin };
    for (const [path, body] of [
      ['/api/acme/sql', 'SELECT 1'],
      ['/api/acme/logs/_json', '[{"a":1}]'],
      ['/api/auth/sign-out', ''],
    ])
      expect(
        (await ask(path ?? '', { method: 'POST', body: body ?? '', headers: form })).status,
      ).toBe(403);
    expect((await ask('/api/acme/streams', { headers: form })).status).toBe(200);
    expect(await status(cookie)).toBe(200);
  });

  it('gives way to credentials that are sent beside it', async () => {
    const cookie = await begin();
    const wrong = { ...ANN, password: 'wrong' };
    const answer = await by(cookie, '/api/acme/sql', {
      body: 'SELECT 1',
      credentials: wrong,
      headers: address(),
    });
    expect(answer.status).toBe(401);
  });
});

describe('a session and a page of an allowed origin', () => {
  it('do not meet: the page has to show credentials of its own', async () => {
    const server = await startServer({ variables: { MILLRACE_CORS_ORIGINS: FOREIGN } });
    try {
      const signedIn = await server.client.call('/api/auth/sign-in', {
        body: JSON.stringify(ROOT),
        credentials: 'none',
      });
      const cookie = String(signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0]);
      const headers = { ...OURS, origin: FOREIGN, 'sec-fetch-site': 'same-site', cookie };
      const call = { body: 'SELECT 1', headers };
      const byCookie = { ...call, credentials: 'none' as const };
      expect((await server.client.call('/api/default/sql', byCookie)).status).toBe(401);
      expect((await server.client.call('/api/default/sql', call)).status).toBe(200);
      for (const path of ['/api/auth/sign-in', '/api/auth/sign-out']) {
        const answer = await server.client.call(path, { ...byCookie, body: JSON.stringify(ROOT) });
        expect([path, answer.status, answer.headers['set-cookie']]).toEqual([path, 403, undefined]);
      }
    } finally {
      await server.stop();
    }
  });
});

describe('a session of a server that is started again', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-sessions-'));
  const secret = randomBytes(32);
  const start = (): Promise<Server> =>
    startServer({
      dataDirectory,
      variables: { MILLRACE_SECRET_KEY: secret.toString('base64') },
    });
  const begin = async ({ client }: Server): Promise<string> => {
    const body = JSON.stringify(ROOT);
    const answer = await client.call('/api/auth/sign-in', { body, credentials: 'none' });
    return String(answer.headers['set-cookie']?.[0]?.split(';', 1)[0]);
  };
  const status = async ({ client }: Server, cookie: string): Promise<number> =>
    (await client.call('/api/auth/session', { headers: { cookie }, credentials: 'none' })).status;
  afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

  it('goes on, and one that was ended stays so', async () => {
    const before = await start();
    const [kept, ended] = [await begin(before), await begin(before)];
    const headers = { ...OURS, cookie: ended };
    const out = { method: 'POST', headers, credentials: 'none' as const };
    expect((await before.client.call('/api/auth/sign-out', out)).status).toBe(200);
    await before.stop();
    const after = await start();
    expect([await status(after, kept), await status(after, ended)]).toEqual([200, 401]);
    await after.stop();
  });

  it('ends by itself, and cannot be made longer but with the server key', async () => {
    const key = new ServerKey(secret);
    const server = await start();
    const [name, sealed = ''] = (await begin(server)).split('=');
    const session = JSON.parse(key.unseal('session', sealed, 'session')) as { expiresAt: number };
    const lives = session.expiresAt - Date.now();
    expect(lives).toBeGreaterThan(7.9 * 3_600_000);
    expect(lives).toBeLessThanOrEqual(8 * 3_600_000);
    const until = (expiresAt: number): string =>
      `${name}=${key.seal('session', JSON.stringify({ ...session, expiresAt }), 'session')}`;
    expect(await status(server, until(Date.now() + 60_000))).toBe(200);
    expect(await status(server, until(Date.now() - 1))).toBe(401);
    const another = new ServerKey(randomBytes(32));
    const forged = another.seal('session', JSON.stringify(session), 'session');
    expect(await status(server, `${name}=${forged}`)).toBe(401);
    await server.stop();
  });
});
