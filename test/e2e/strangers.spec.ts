import { CAMPAIGN } from '../rounds.js';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';
/** This is far less than a password's hash takes, which is what tells accounts apart by time. */
const SAME_TIME_MS = 15;
const ROUNDS = 8;
const ROUNDS_MAX = 24;

interface Route {
  readonly method: string;
  readonly path: string;
}

/** These values stand for `{org}`, `{email}` and the other parts of a path; the rest names a stream. */
interface Named {
  readonly org: string;
  readonly email: string;
  readonly name: string;
}

/** Names of one length, so that only the facts may differ. */
const THERE = { org: 'acme', email: 'known@example.com', name: 'logs' };
const MISSING = { org: 'none', email: 'noone@example.com', name: 'gogs' };

/** Creating a name shows that it was free. These calls are paced instead: invitations.spec.ts. */
const CREATES: Readonly<Record<string, readonly string[]>> = {
  'POST /api/{org}/users/{email}': ['organization'],
};

/** The answer, without what is different each time and without what was asked. */
function told(answer: Answer, named: Named): unknown {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).filter(([name]) => !['date', 'x-request-id'].includes(name)),
  );
  const body = [named.org, named.email, named.name].reduce(
    (text, each) => text.replaceAll(each, '?'),
    answer.bytes.toString(),
  );
  return { status: answer.status, headers, body };
}

describe('a stranger is told nothing of what is there', () => {
  let server: Server;
  let routes: Route[];
  let made = 0;

  const json = (method: string, path: string, body: object): Promise<Answer> =>
    server.client.call(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  async function asRoot(method: string, path: string, body: object): Promise<void> {
    const answer = await json(method, path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.bytes.toString()}`);
  }
  const register = (org: string, email: string, role: string): Promise<void> =>
    asRoot('POST', `/api/${org}/users`, { email, password: PASSWORD, role });

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
    await register('default', 'vera@example.com', 'viewer');
    await register('default', 'stan@example.com', 'viewer');
    await register('default', 'tess@example.com', 'viewer');
    await asRoot('POST', '/api/other/users/stan@example.com', { role: 'admin' });
    await asRoot('POST', '/api/third/users/tess@example.com', { role: 'admin' });
    await register('default', 'founder@example.com', 'viewer');
    await asRoot('POST', '/api/acme/users/founder@example.com', { role: 'admin' });
    await register('acme', THERE.email, 'viewer');
    await asRoot('POST', `/api/acme/${THERE.name}/_json?wait=true`, { key: 'logs', a: 1 });
    const { paths } = (await server.client.call('/openapi.json')).json<{
      paths: Record<string, Record<string, unknown>>;
    }>();
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      path.includes('{')
        ? Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }))
        : [],
    );
  }, 120_000);
  afterAll(() => server.stop());

  async function credentialsOf(caller: string) {
    if (caller === 'nobody') return 'none' as const;
    if (caller !== 'passcode') return { email: `${caller}@example.com`, password: PASSWORD };
    const answer = await server.client.call('/api/other/passcode');
    const { passcode } = answer.json<{ data: { passcode: string } }>().data;
    // A wrong password counts against the account that it was tried for.
    return { email: `x${made}@example.com`, password: passcode };
  }

  async function ask(caller: string, { method, path }: Route, named: Named): Promise<Answer> {
    made += 1;
    const target = path
      .replace('{org}', named.org)
      .replace('{email}', named.email)
      .replace(/\{\w+\}/g, named.name);
    const body = { email: named.email, password: PASSWORD, role: 'viewer', first_name: 'N' };
    return server.client.call(target, {
      method,
      credentials: await credentialsOf(caller),
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.0.${made >> 8}.${made & 255}`,
      },
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** [what is there or not, the one that is, the one that is not] */
  const pairs: readonly [string, Named, Named][] = [
    ['organization', THERE, { ...THERE, org: MISSING.org }],
    ['account in a foreign organization', THERE, { ...THERE, email: MISSING.email }],
    ['stream in a foreign organization', THERE, { ...THERE, name: MISSING.name }],
    [
      'account of another tenant, from an own organization',
      { ...THERE, org: 'other' },
      { ...THERE, org: 'other', email: MISSING.email },
    ],
  ];

  const foreign = pairs.slice(0, -1);
  /**
   * Each wrong passcode takes a hash, a tenth of a second, and is refused before the route is known:
   * CI asks each route with one pair, the next with the next, and the campaign with all.
   */
  const inTurn = (at: number): typeof pairs =>
    CAMPAIGN ? pairs : foreign.slice(at % foreign.length).slice(0, 1);

  it.each(['nobody', 'vera', 'stan', 'passcode'])(
    'on no route: %s',
    async (caller) => {
      expect(routes.length).toBeGreaterThan(40);
      for (const [at, route] of routes.entries()) {
        const title = `${route.method} ${route.path}`;
        for (const [what, one, other] of caller === 'passcode' ? inTurn(at) : pairs) {
          if (CREATES[title]?.includes(what) && !['nobody', 'passcode'].includes(caller)) continue;
          // The members and streams of the caller's own organization are no secret. Neither is the
          // fact that an e-mail is free to register.
          const own = one.org === 'other';
          if (own && (!route.path.includes('{email}') || caller !== 'stan')) continue;
          const [answer, another] = [
            await ask(caller, route, one),
            await ask(caller, route, other),
          ];
          expect([title, what, told(another, other)]).toEqual([title, what, told(answer, one)]);
          if (!own && route.path.includes('{org}') && answer.status < 400)
            throw new Error(`${title} lets ${caller} in: ${answer.status}`);
        }
      }
    },
    240_000,
  );

  it('nor by how long it takes', async () => {
    const timeOf = async (asked: Promise<Answer>): Promise<number> => {
      const since = performance.now();
      await asked;
      return performance.now() - since;
    };
    const users = { method: 'GET', path: '/api/{org}/users' };
    const member = { method: 'PUT', path: '/api/{org}/users/{email}' };
    const invited = { method: 'POST', path: '/api/{org}/users/{email}' };
    const timed: readonly [Route, Named, Named][] = [
      [users, THERE, MISSING],
      [member, { ...THERE, org: 'third' }, { ...MISSING, org: 'third' }],
      [invited, { ...THERE, org: 'third' }, { ...MISSING, org: 'third' }],
    ];
    for (const [route, one, other] of timed) {
      // The fastest time of each, in turns, because other work on the machine must not make a
      // difference.
      let [there, missing] = [Infinity, Infinity];
      const alike = (): boolean => Math.abs(there - missing) < SAME_TIME_MS;
      for (let n = 0; n < ROUNDS || (!alike() && n < ROUNDS_MAX); n += 1) {
        there = Math.min(there, await timeOf(ask('tess', route, one)));
        missing = Math.min(missing, await timeOf(ask('tess', route, other)));
      }
      expect([route.path, there, missing, alike()]).toEqual([route.path, there, missing, true]);
    }
  }, 120_000);
});
