import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';
const LONG = 'a'.repeat(101);
const OTHER_PASSWORD = 'Stolen-99';

/** OpenObserve of 2023 let people do these things to each other (reference/openobserve.md, section 1.9). */
describe('holes of OpenObserve that we do not have', () => {
  let server: Server;
  let calls = 0;

  /** Each call comes from an address of its own, so that the throttle of logins plays no part. */
  function as(name: string, method: string, path: string, body?: object): Promise<Answer> {
    calls += 1;
    return server.client.call(path, {
      method,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.1.0.${calls}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: name === 'root' ? ROOT : { email: `${name}@example.com`, password: PASSWORD },
    });
  }
  const add = (org: string, name: string, role: string, by = 'root'): Promise<Answer> =>
    as(by, 'POST', `/api/${org}/users`, {
      email: `${name}@example.com`,
      first_name: name,
      last_name: 'X',
      password: PASSWORD,
      role,
    });
  const mayLogIn = async (name: string, password: string): Promise<boolean> => {
    calls += 1;
    const { status } = await server.client.call('/api/organizations', {
      credentials: { email: `${name}@example.com`, password },
      headers: { 'x-forwarded-for': `10.1.0.${calls}` },
    });
    return status === 200;
  };
  const roles = async (org: string): Promise<Record<string, string>> => {
    const { data } = (await as('root', 'GET', `/api/${org}/users`)).json<{
      data: { email: string; role: string }[];
    }>();
    return Object.fromEntries(data.map(({ email, role }) => [email, role]));
  };

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
    // Two tenants, each with an admin; both admins are members of `default` too.
    for (const name of ['ann', 'bob'])
      expect((await add('default', name, 'member')).status).toBe(200);
    for (const [org, name] of [
      ['acme', 'ann'],
      ['other', 'bob'],
    ] as const)
      expect(
        (await as('root', 'POST', `/api/${org}/users/${name}@example.com`, { role: 'admin' }))
          .status,
      ).toBe(200);
    expect((await add('acme', 'mia', 'member')).status).toBe(200);
    expect((await add('acme', 'eve', 'editor')).status).toBe(200);
  });
  afterAll(() => server.stop());

  it.each(['mia', 'eve'])('D1: %s, no admin, makes no admins', async (name) => {
    expect((await add('acme', `by-${name}`, 'admin', name)).status).toBe(403);
    const own = `/api/acme/users/${name}@example.com`;
    expect((await as(name, 'POST', own, { role: 'admin' })).status).toBe(403);
    expect((await as(name, 'PUT', own, { role: 'admin' })).status).toBe(403);
    expect(await roles('acme')).toMatchObject({
      'mia@example.com': 'member',
      'eve@example.com': 'editor',
    });
    expect(await mayLogIn(`by-${name}`, PASSWORD)).toBe(false);
  });

  it("D2: an admin does not take over another tenant's user by adding them first", async () => {
    const bob = '/api/acme/users/bob@example.com';
    const thefts = [
      { new_password: OTHER_PASSWORD },
      { new_password: OTHER_PASSWORD, old_password: OTHER_PASSWORD },
      { first_name: 'Mallory' },
    ];
    expect((await as('ann', 'POST', bob, { role: 'viewer' })).status).toBe(200);
    for (const body of thefts) expect((await as('ann', 'PUT', bob, body)).status).toBe(404);
    expect((await as('bob', 'POST', '/api/invitations/acme/accept')).status).toBe(200);
    for (const body of thefts) expect((await as('ann', 'PUT', bob, body)).status).toBe(403);
    expect(await mayLogIn('bob', OTHER_PASSWORD)).toBe(false);
    expect(await mayLogIn('bob', PASSWORD)).toBe(true);
    expect((await as('bob', 'GET', '/api/other/users')).status).toBe(200);
  });

  it('D2: a founder of an organization who adds a plain member of `default` does not own them', async () => {
    for (const name of ['founder', 'plain'])
      expect((await add('default', name, 'member')).status).toBe(200);
    const plain = '/api/founded/users/plain@example.com';
    expect((await as('founder', 'POST', plain, { role: 'viewer' })).status).toBe(200);
    expect((await as('founder', 'PUT', plain, { role: 'editor' })).status).toBe(404);
    expect((await as('plain', 'POST', '/api/invitations/founded/accept')).status).toBe(200);
    for (const body of [{ new_password: OTHER_PASSWORD }, { first_name: 'Mallory' }])
      expect((await as('founder', 'PUT', plain, body)).status).toBe(403);
    expect(await mayLogIn('plain', OTHER_PASSWORD)).toBe(false);
    expect(await mayLogIn('plain', PASSWORD)).toBe(true);
    // The role is the organization's own affair.
    expect((await as('founder', 'PUT', plain, { role: 'editor' })).status).toBe(200);
  });

  it("D2: nor does who adds another tenant's former user, who is a viewer of `default` only", async () => {
    expect((await add('other', 'former', 'viewer')).status).toBe(200);
    const former = '/users/former@example.com';
    expect((await as('root', 'DELETE', `/api/other${former}`)).status).toBe(200);
    expect((await as('ann', 'POST', `/api/acme${former}`, { role: 'viewer' })).status).toBe(200);
    expect((await as('former', 'POST', '/api/invitations/acme/accept')).status).toBe(200);
    const theft = { new_password: OTHER_PASSWORD };
    expect((await as('ann', 'PUT', `/api/acme${former}`, theft)).status).toBe(403);
    expect(await mayLogIn('former', PASSWORD)).toBe(true);
  });

  it('D2: an admin does reset the password of an account that is nobody else’s', async () => {
    expect((await add('acme', 'own', 'viewer', 'ann')).status).toBe(200);
    const own = '/api/acme/users/own@example.com';
    expect((await as('ann', 'PUT', own, { new_password: OTHER_PASSWORD })).status).toBe(200);
    expect([await mayLogIn('own', PASSWORD), await mayLogIn('own', OTHER_PASSWORD)]).toEqual([
      false,
      true,
    ]);
  });

  it('D3: an account is not deleted through an organization that it is not in', async () => {
    expect((await add('other', 'carl', 'viewer')).status).toBe(200);
    expect((await as('ann', 'DELETE', '/api/acme/users/carl@example.com')).status).toBe(404);
    expect((await as('root', 'DELETE', '/api/acme/users/carl@example.com')).status).toBe(404);
    expect(await mayLogIn('carl', PASSWORD)).toBe(true);
    expect(await roles('other')).toHaveProperty(['carl@example.com'], 'viewer');
  });

  it('D3: leaving one organization leaves the others alone', async () => {
    expect((await add('acme', 'dora', 'viewer')).status).toBe(200);
    const other = '/api/other/users/dora@example.com';
    expect((await as('root', 'POST', other, { role: 'editor' })).status).toBe(200);
    expect((await as('ann', 'DELETE', '/api/acme/users/dora@example.com')).status).toBe(200);
    expect(await mayLogIn('dora', PASSWORD)).toBe(true);
    expect((await as('dora', 'GET', '/api/other/streams')).status).toBe(200);
    expect((await as('dora', 'GET', '/api/acme/streams')).status).toBe(403);
  });

  it.each(['ann', 'root'])('D4: nobody becomes root, not even by %s', async (by) => {
    expect((await add('acme', `king-${by}`, 'root', by)).status).toBe(400);
    const mia = '/api/acme/users/mia@example.com';
    expect((await as(by, 'POST', mia, { role: 'root' })).status).toBe(400);
    expect((await as(by, 'PUT', mia, { role: 'root' })).status).toBe(400);
    expect(
      (await as('root', 'POST', '/api/default/users/mia@example.com', { role: 'root' })).status,
    ).toBe(400);
    expect(await roles('acme')).toMatchObject({ 'mia@example.com': 'member' });
    expect(await mayLogIn(`king-${by}`, PASSWORD)).toBe(false);
  });

  it('D4: an admin of `default` is no super user', async () => {
    expect((await add('default', 'dan', 'admin')).status).toBe(200);
    for (const path of ['/api/acme/users', '/api/acme/streams', '/api/acme/passcode'])
      expect((await as('dan', 'GET', path)).status).toBe(403);
    const ann = '/api/default/users/ann@example.com';
    expect((await as('dan', 'PUT', ann, { new_password: OTHER_PASSWORD })).status).toBe(403);
    expect(await mayLogIn('ann', PASSWORD)).toBe(true);
  });

  it('D5: nobody removes or changes root', async () => {
    // Someone who does not see root gets the same answer as for an account that is not there.
    const nobody = '/api/acme/users/nobody-here@example.com';
    const told = (await as('ann', 'DELETE', nobody)).status;
    expect((await as('ann', 'DELETE', `${nobody}?erase=true`)).status).toBe(403);
    for (const [by, org, refusal] of [
      ['ann', 'acme', told],
      ['dan', 'default', 403],
      ['root', 'default', 403],
      ['root', 'acme', 403],
    ] as const) {
      const path = `/api/${org}/users/${ROOT.email}`;
      expect((await as(by, 'DELETE', path)).status).toBe(refusal);
      expect((await as(by, 'DELETE', `${path}?erase=true`)).status).toBe(403);
      if (by === 'root') expect((await as(by, 'POST', path, { role: 'viewer' })).status).toBe(403);
      else
        expect((await as(by, 'POST', path, { role: 'viewer' })).bytes.toString()).toMatch(
          /Invitation sent/,
        );
      if (by !== 'root')
        expect([403, 404]).toContain(
          (await as(by, 'PUT', path, { new_password: OTHER_PASSWORD })).status,
        );
    }
    expect((await as('root', 'GET', '/api/default/users')).status).toBe(200);
  });

  it('D6: nobody chooses a token', async () => {
    const token = 'chosen-by-the-caller-0123456789abcdef';
    const passcode = (await as('ann', 'GET', '/api/acme/passcode')).bytes.toString();
    const mia = '/api/acme/users/mia@example.com';
    for (const body of [
      { token },
      { token, first_name: 'Mia' },
      { passcode: token, first_name: 'Mia' },
    ])
      await as('ann', 'PUT', mia, body);
    await as('ann', 'PUT', '/api/acme/passcode', { passcode: token, token });
    const now = (await as('ann', 'GET', '/api/acme/passcode')).bytes.toString();
    expect(now).not.toContain(token);
    expect(now).not.toBe(passcode);
    for (const email of ['mia@example.com', 'ann@example.com']) {
      calls += 1;
      const { status } = await server.client.call('/api/acme/streams', {
        credentials: { email, password: token },
        headers: { 'x-forwarded-for': `10.1.0.${calls}` },
      });
      expect(status).toBe(401);
    }
  });

  it.each(['typo', '%20', '_', 'ACME', 'acme%20', 'acme%00', '..', '%2e%2e', LONG])(
    'D12: a request of root to organization %s makes none',
    async (org) => {
      const before = (await as('root', 'GET', '/api/organizations')).bytes.toString();
      const requests: [string, string, object | undefined][] = [
        ['GET', `/api/${org}/streams`, undefined],
        ['POST', `/api/${org}/logs/_json`, [{ a: 1 }]],
        ['POST', `/api/${org}/logs/settings`, { data_retention: 1 }],
        ['PUT', `/api/${org}/passcode`, undefined],
        [
          'POST',
          `/api/${org}/users`,
          {
            email: 'x@example.com',
            first_name: 'x',
            last_name: 'x',
            password: PASSWORD,
            role: 'viewer',
          },
        ],
      ];
      for (const [method, path, body] of requests)
        expect([400, 404]).toContain((await as('root', method, path, body)).status);
      expect((await as('root', 'GET', '/api/organizations')).bytes.toString()).toBe(before);
    },
  );

  it.each(['%20', '_', 'a%20b', 'acme%2F..%2Fx', 'default%00', '..', LONG])(
    'D12: no organization is made with the name %s',
    async (org) => {
      const before = (await as('root', 'GET', '/api/organizations')).bytes.toString();
      const path = `/api/${org}/users/mia@example.com`;
      expect([400, 404]).toContain((await as('root', 'POST', path, { role: 'viewer' })).status);
      expect((await as('root', 'GET', '/api/organizations')).bytes.toString()).toBe(before);
    },
  );
});
