import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, tar } from '../server/archive.js';
import { startServer, type Server } from '../server/start-server.js';
import { tailStatus } from '../server/tail-reader.js';

/**
 * Every route against every caller, written by hand and not derived from the code. Letters: `y` may,
 * `-` 401 who are you, `n` 403, `?` 404, `w` 400: may, but not by this body, which names another. A
 * route that is not in this table fails the test, so a new one cannot come without saying who may.
 *
 * own: viewer, member, editor, admin, root of the deployment, the passcode
 * other: admin of another organization; removed from this one; another organization's passcode,
 * which is no credential here
 * none: admin and root ask for an organization that does not exist
 */
const EXPECTED = `
route                                      nobody | viewer member editor admin root passcode | stranger removed otherPasscode | adminNone rootNone
GET    /metrics                              -    |   n      n      n      n     y     -     |    n       n         -         |     n        y
GET    /api/organizations                    -    |   y      y      y      y     y     -     |    y       y         -         |     y        y
GET    /api/invitations                      -    |   y      y      y      y     y     -     |    y       y         -         |     y        y
POST   /api/invitations/{org}/accept         -    |   ?      ?      ?      ?     n     n     |    ?       ?         -         |     ?        n
POST   /api/invitations/{org}/decline        -    |   ?      ?      ?      ?     ?     n     |    ?       ?         -         |     ?        ?
DELETE /api/{org}                            -    |   n      n      n      w     w     n     |    n       n         -         |     n        ?
PUT    /api/{org}/rename                     -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/invitations                -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
DELETE /api/{org}/invitations/{email}        -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/organizations              -    |   y      y      y      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/organizations/passcode     -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
PUT    /api/{org}/organizations/passcode     -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/passcode                   -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
PUT    /api/{org}/passcode                   -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/users                      -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
POST   /api/{org}/users                      -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
PUT    /api/{org}/users/{email}              -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
POST   /api/{org}/users/{email}              -    |   n      n      n      y     y     n     |    n       n         -         |     y        y
DELETE /api/{org}/users/{email}              -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
POST   /api/{org}/users/{email}/proven       -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/audit                      -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
POST   /api/{org}/audit/verify               -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/summary                    -    |   y      y      y      y     y     n     |    n       n         -         |     n        ?
POST   /api/{org}/catalog                    -    |   y      y      y      y     y     n     |    n       n         -         |     n        ?
GET    /api/{org}/streams                    -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/streams/{stream}/schema    -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/{stream}/schema            -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/settings          -    |   n      y      y      y     y     n     |    n       n         -         |     n        ?
PUT    /api/{org}/streams/{stream}/settings  -    |   n      y      y      y     y     n     |    n       n         -         |     n        ?
DELETE /api/{org}/streams/{stream}           -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
DELETE /api/{org}/{stream}                   -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
PUT    /api/{org}/{stream}                   -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_json             -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_multi            -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_csv              -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/_bulk                      -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/_bulk                      -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_bulk             -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/{stream}/_bulk             -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}                            -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_license                   -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_xpack                     -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_cluster/health            -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_index_template/{name}     -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_template/{name}           -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_ilm/policy/{name}         -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_data_stream/{name}        -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/_index_template/{name}     -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/_template/{name}           -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/_ilm/policy/{name}         -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/_data_stream/{name}        -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_parquet          -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_arrow            -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_delta_lake       -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/sql                        -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/sql                        -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/sql/functions              -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/clickhouse                 -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/clickhouse                 -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/clickhouse/ping            -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/tables/{table}             -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/kv/{stream}/{key}          -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/schema                     -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/schema/{table}             -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/{stream}/_rejected          -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_rejected/retry    -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/{stream}/_values            -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/{stream}/_around            -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/{stream}/_tail              -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/_search                     -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/_search_partition           -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/graphql                     -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/tokens                     -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
POST   /api/{org}/tokens                     -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
DELETE /api/{org}/tokens/{name}              -    |   n      n      n      y     y     n     |    n       n         -         |     n        ?
HEAD   /api/{org}/{stream}                   -    |   y      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/_refresh                   -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/_refresh                   -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_refresh          -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
GET    /api/{org}/{stream}/_refresh          -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_doc              -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_doc/{id}         -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/{stream}/_doc/{id}         -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_create           -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/{stream}/_create/{id}      -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
PUT    /api/{org}/{stream}/_create/{id}      -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/v1/logs                    -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/v1/metrics                 -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/v1/traces                  -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/loki/api/v1/push           -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
POST   /api/{org}/prometheus/api/v1/write    -    |   n      y      y      y     y     y     |    n       n         -         |     n        ?
`;
const STATUS: Readonly<Record<string, number>> = {
  y: 200,
  w: 400,
  '-': 401,
  n: 403,
  '?': 404,
};
/** People are made, changed and invited once, and tokens made. */
const MAKES = /\/(?:users|invitations|tokens)\b/;
const MAKES_STREAM = 'PUT /api/{org}/{stream}';
/** Open to everybody, and about nobody; those of sessions and sign-up say themselves who may. */
const OPEN = [
  ...['GET /healthz', 'GET /readyz'],
  ...['POST /api/auth/sign-in', 'GET /api/auth/session', 'POST /api/auth/sign-out'],
  ...['GET /api/signup', 'POST /api/signup'],
];
const PASSWORD = 'Secret-77';

interface Sent {
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly expected: Readonly<Record<string, string>>;
}

const [header = '', ...rows] = EXPECTED.trim().split('\n');
const callers = header.split(/[\s|]+/).slice(1);
const routes = rows.map((row): Route => {
  const [method = '', path = '', ...letters] = row.split(/[\s|]+/);
  return {
    method,
    path,
    expected: Object.fromEntries(callers.map((caller, index) => [caller, letters[index] ?? ''])),
  };
});

describe('two tenants cannot touch each other', () => {
  let server: Server;
  let made = 0;

  const json = (body: unknown): Sent => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const person = (name: string) => ({ email: `${name}@example.com`, password: PASSWORD });

  async function asRoot(path: string, call: object = {}): Promise<void> {
    const answer = await server.client.call(path, call);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.bytes.toString()}`);
  }
  const addUser = (org: string, name: string, role: string): Promise<void> =>
    asRoot(`/api/${org}/users`, json({ ...person(name), first_name: name, last_name: 'X', role }));
  const makeOrganization = (org: string): Promise<void> =>
    asRoot(`/api/${org}/users/founder@example.com`, json({ role: 'admin' }));
  const passcode = async (org: string) => {
    const answer = await server.client.call(`/api/${org}/passcode`);
    const { data } = answer.json<{ data: { passcode: string; user: string } }>();
    return { email: data.user, password: data.passcode };
  };

  const fixtures = join(import.meta.dirname, '../fixtures');
  const parquet = readFileSync(join(fixtures, 'parquet/times.parquet'));
  const arrow = readFileSync(join(fixtures, 'arrow/numbers.arrow'));
  let deltaTable: Buffer;

  beforeAll(async () => {
    deltaTable = await tar(filesOf(join(fixtures, 'delta/timed')));
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
    await addUser('default', 'founder', 'viewer');
    await makeOrganization('acme');
    await makeOrganization('other');
    for (const role of ['viewer', 'member', 'editor', 'admin']) await addUser('acme', role, role);
    await addUser('other', 'stranger', 'admin');
    await addUser('acme', 'removed', 'admin');
    await asRoot('/api/acme/users/removed@example.com', { method: 'DELETE' });
  });
  afterAll(() => server.stop());

  it('knows every route that there is', async () => {
    const { paths } = (await server.client.call('/openapi.json')).json<{
      paths: Record<string, Record<string, unknown>>;
    }>();
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = [...OPEN, ...routes.map(({ method, path }) => `${method} ${path}`)];
    expect(served.sort()).toEqual(known.sort());
  });

  const BODIES: Readonly<Record<string, (name: string) => Sent>> = {
    'DELETE /api/{org}': () => json({ name: 'another' }),
    'PUT /api/{org}/rename': () => json({ new_name: 'Acme' }),
    'POST /api/{org}/users': (name) =>
      json({ ...person(`new-${name}`), first_name: 'N', last_name: 'N', role: 'viewer' }),
    'PUT /api/{org}/users/{email}': () => json({ first_name: 'Changed' }),
    'POST /api/{org}/users/{email}': () => json({ role: 'viewer' }),
    'POST /api/{org}/{stream}/settings': () => json({ data_retention: 0 }),
    'PUT /api/{org}/streams/{stream}/settings': () => json({ data_retention: 0 }),
    'POST /api/{org}/{stream}/_json': () => json([{ a: 1 }]),
    'POST /api/{org}/{stream}/_multi': () => json({ a: 1 }),
    'POST /api/{org}/{stream}/_csv': () => ({ body: 'a\n1\n' }),
    'POST /api/{org}/_bulk': (name) => ({ body: `{"index":{"_index":"${name}"}}\n{"a":1}\n` }),
    'PUT /api/{org}/_bulk': (name) => ({ body: `{"index":{"_index":"${name}"}}\n{"a":1}\n` }),
    'POST /api/{org}/{stream}/_bulk': () => ({ body: '{"index":{}}\n{"a":1}\n' }),
    'PUT /api/{org}/{stream}/_bulk': () => ({ body: '{"index":{}}\n{"a":1}\n' }),
    'POST /api/{org}/_search': (name) =>
      json({ query: { sql: `SELECT count() AS n FROM "s-${name}"` } }),
    'POST /api/{org}/_search_partition': (name) =>
      json({ sql: `SELECT count() AS n FROM "s-${name}"` }),
    'POST /api/{org}/catalog': () => json({ query: '{ organization { name } streams { name } }' }),
    'POST /api/{org}/graphql': (name) => ({ body: `{ s_${name} { a } }` }),
    'POST /api/{org}/{stream}/_parquet': () => ({ body: parquet }),
    'POST /api/{org}/{stream}/_arrow': () => ({ body: arrow }),
    'POST /api/{org}/{stream}/_delta_lake': () => ({ body: deltaTable }),
    'POST /api/{org}/tokens': (name) => json({ name, role: 'viewer' }),
    'POST /api/{org}/{stream}/_doc': () => json({ a: 1 }),
    'POST /api/{org}/{stream}/_doc/{id}': () => json({ a: 1 }),
    'PUT /api/{org}/{stream}/_doc/{id}': () => json({ a: 1 }),
    'POST /api/{org}/{stream}/_create': () => json({ a: 1 }),
    'POST /api/{org}/{stream}/_create/{id}': () => json({ a: 1 }),
    'PUT /api/{org}/{stream}/_create/{id}': () => json({ a: 1 }),
    'POST /api/{org}/v1/logs': () => json({}),
    'POST /api/{org}/v1/metrics': () => json({}),
    'POST /api/{org}/v1/traces': () => json({}),
    'POST /api/{org}/loki/api/v1/push': () => json({ streams: [] }),
    'POST /api/{org}/prometheus/api/v1/write': () => ({
      // Snappy writes an empty body like this.
      body: Buffer.of(0),
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    }),
    'POST /api/{org}/clickhouse': (name) => ({ body: `SELECT count() FROM acme.\`s-${name}\`` }),
    'POST /api/{org}/sql': (name) => ({ body: `SELECT count() AS n FROM \`s-${name}\`` }),
  };

  /** Makes the thing that a route asks about anew, for each caller. */
  async function prepare({ method, path }: Route, name: string): Promise<string> {
    if (path.includes('/kv/'))
      await asRoot(`/api/acme/s-${name}/_json?wait=true`, json({ key: 'k', value: 'v' }));
    else if (
      `${method} ${path}` !== MAKES_STREAM &&
      /stream|table|sql|clickhouse|search|graphql/.test(path)
    )
      await asRoot(`/api/acme/s-${name}/settings`, json({ columns: { a: 'Int64' } }));
    if (path.includes('/tokens/{name}'))
      await asRoot('/api/acme/tokens', json({ name, role: 'viewer' }));
    if (path.includes('/invitations/{email}'))
      await asRoot(`/api/acme/users/${name}@example.com`, {
        ...json({ role: 'viewer' }),
        credentials: person('admin'),
      });
    else if (path.includes('{email}')) await addUser('acme', name, 'viewer');
    return pathTo({ method, path }, name);
  }

  function pathTo({ method, path }: Pick<Route, 'method' | 'path'>, name: string): string {
    if (method === 'GET' && /\/(?:sql|clickhouse)$/.test(path))
      return `${path}?query=${encodeURIComponent(`SELECT count() AS n FROM \`s-${name}\``)}`;
    return path
      .replace('{stream}', `s-${name}`)
      .replace('{table}', `s-${name}`)
      .replace('{key}', 'k')
      .replace('{id}', '1')
      .replace('/tokens/{name}', `/tokens/${name}`)
      .replace('{email}', `${name}@example.com`)
      .replace(/_values$/, '_values?fields=a')
      .replace(/_around$/, '_around?key=1763717400000000');
  }

  async function credentialsOf(caller: string, about: string) {
    if (caller === 'nobody') return 'none' as const;
    if (caller === 'root' || caller === 'rootNone') return undefined;
    if (caller === 'passcode') return passcode('acme');
    if (caller === 'otherPasscode')
      return { ...(await passcode('other')), email: `${about}-${caller}@example.com` };
    return person(caller === 'adminNone' ? 'admin' : caller);
  }

  /** All that root can see of everybody, but who was refused what: that is in the audit trail. */
  async function state(): Promise<unknown> {
    // Rows come in order: when these can be queried, so can all before them.
    for (const org of ['acme', 'other'])
      await asRoot(`/api/${org}/marker/_json?wait=true`, json({ a: 1 }));
    const seen: Record<string, unknown> = {};
    for (const org of ['default', 'acme', 'other'])
      for (const path of ['users', 'tokens', 'passcode', 'streams?fetchSchema=true&limit=10000']) {
        const answer = await server.client.call(`/api/${org}/${path}`);
        seen[`${org}: ${path}`] = answer.json<object>();
      }
    seen.organizations = (await server.client.call('/api/organizations')).json();
    return JSON.parse(JSON.stringify(seen, withoutMarker)) as unknown;
  }

  /** @param name of what is asked about, when it is there already: nobody changes it */
  async function ask(
    title: string,
    route: Route,
    caller: string,
    name?: string,
  ): Promise<() => Promise<number>> {
    made += 1;
    const about = name ?? `x${made}`;
    // Failing callers come from a new address each time, or the throttle of logins would answer.
    // The others come from an address where the server knows their passwords, which saves a hash.
    const address =
      caller === 'otherPasscode'
        ? `10.0.${made >> 8}.${made & 255}`
        : `10.1.0.${callers.indexOf(caller)}`;
    const org = caller.endsWith('None') ? `none${made}` : 'acme';
    const path = (name === undefined ? await prepare(route, about) : pathTo(route, about)).replace(
      '{org}',
      org,
    );
    const { body, headers } = BODIES[title]?.(about) ?? {};
    return async () => {
      // The credentials are read now, for the passcode may have been replaced.
      const credentials = await credentialsOf(caller, about);
      if (path.endsWith('/_tail')) return tailStatus(server.url, path, credentials, address);
      const answer = await server.client.call(path, {
        method: route.method,
        headers: { ...headers, 'x-forwarded-for': address },
        ...(body === undefined ? {} : { body }),
        ...(credentials === undefined ? {} : { credentials }),
      });
      return answer.status < 300 ? 200 : answer.status;
    };
  }

  describe('every kind of caller', () => {
    /** The map has the calls by route and caller. */
    const asking = new Map<Route, Map<string, () => Promise<number>>>();
    const answered = new Map<Route, Record<string, number>>();
    const may = (route: Route, caller: string): boolean => route.expected[caller] === 'y';
    let before: unknown;
    let after: unknown;

    // All who are refused ask first, at every route, so that the two looks at everything are for all.
    beforeAll(async () => {
      for (const route of routes) {
        const callersOf = new Map<string, () => Promise<number>>();
        asking.set(route, callersOf);
        // A refused request changes nothing, and reading or writing keeps things in place: all
        // callers ask about the same thing. A caller who makes or ends something by asking gets a
        // thing of their own.
        const makes = MAKES.test(route.path) || `${route.method} ${route.path}` === MAKES_STREAM;
        const uses = route.method === 'DELETE' || makes;
        let same: string | undefined;
        for (const caller of callers) {
          const own = uses && may(route, caller);
          const title = `${route.method} ${route.path}`;
          callersOf.set(caller, await ask(title, route, caller, own ? undefined : same));
          if (!own) same ??= `x${made}`;
        }
      }
      before = await state();
      await answer((route, caller) => !may(route, caller));
      after = await state();
    }, 240_000);

    async function answer(
      isAsked: (route: Route, caller: string) => boolean,
      of: Iterable<Route> = routes,
    ): Promise<void> {
      for (const route of of) {
        const statuses = answered.get(route) ?? {};
        answered.set(route, statuses);
        for (const [caller, send] of asking.get(route) ?? [])
          if (isAsked(route, caller)) statuses[caller] = await send();
      }
    }

    it('changes nothing where it is refused', () => {
      expect(after).toEqual(before);
    });

    it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
      '%s',
      async (_, route) => {
        await answer(may, [route]);
        expect(answered.get(route)).toEqual(
          Object.fromEntries(
            callers.map((caller) => [caller, STATUS[route.expected[caller] ?? '']]),
          ),
        );
      },
    );
  });
});

/** Leaves out the stream that grows by looking, and sizes that change by themselves when parts are merged. */
function withoutMarker(key: string, value: unknown): unknown {
  if (key === 'compressed_size') return undefined;
  if (key !== 'list' || !Array.isArray(value)) return value;
  return (value as { name: string }[]).filter(({ name }) => name !== 'marker');
}
