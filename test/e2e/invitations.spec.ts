import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';
const SENT = { code: 200, message: 'Invitation sent' };

interface Sent {
  readonly email: string;
  readonly role: string;
}

/**
 * Two tenants who do not trust each other: Ada administers `aco`, Bea administers `bco`. The tests
 * show what each may do to an account of the other, and what she learns about it.
 */
describe('invitations', () => {
  let dataDirectory: string;
  let server: Server;
  let made = 0;
  const email = (name: string): string => (name === 'root' ? ROOT.email : `${name}@example.com`);

  function as(
    name: string,
    method: string,
    path: string,
    body?: object,
    password = PASSWORD,
  ): Promise<Answer> {
    made += 1;
    return server.client.call(path, {
      method,
      credentials: name === 'root' ? ROOT : { email: email(name), password },
      // Each call comes from an address of its own, so that the pace by address is not met here.
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.0.${made >> 8}.${made & 255}`,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
  const refusal = (answer: Answer): [number, string] => [
    answer.status,
    answer.json<{ message: string }>().message,
  ];
  const person = (name: string, role = 'viewer') => ({
    email: email(name),
    first_name: `First-${name}`,
    last_name: `Last-${name}`,
    password: PASSWORD,
    role,
  });
  const register = async (
    by: string,
    org: string,
    name: string,
    role?: string,
  ): Promise<string> => {
    const answer = await as(by, 'POST', `/api/${org}/users`, person(name, role));
    expect(answer.json()).toEqual({ code: 200, message: 'User saved successfully' });
    return name;
  };
  const invite = (by: string, org: string, name: string, role = 'editor'): Promise<Answer> =>
    as(by, 'POST', `/api/${org}/users/${email(name)}`, { role });
  const received = async (name: string): Promise<unknown[]> =>
    (await as(name, 'GET', '/api/invitations'))
      .json<{ data: { organization: string; role: string }[] }>()
      .data.map(({ organization, role }) => [organization, role]);
  const sent = async (by: string, org: string): Promise<string[]> =>
    (await as(by, 'GET', `/api/${org}/invitations`))
      .json<{ data: Sent[] }>()
      .data.map((each) => each.email);
  const members = async (by: string, org: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await as(by, 'GET', `/api/${org}/users`))
        .json<{ data: Sent[] }>()
        .data.map((each) => [each.email, each.role]),
    );
  const answer = (name: string, org: string, how: 'accept' | 'decline'): Promise<Answer> =>
    as(name, 'POST', `/api/invitations/${org}/${how}`);
  const restart = async (between: () => unknown = () => undefined): Promise<void> => {
    await server.stop();
    between();
    server = await startServer(options());
  };
  const options = () => ({
    dataDirectory,
    variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' },
  });

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    server = await startServer(options());
    for (const [name, org] of [
      ['ada', 'aco'],
      ['bea', 'bco'],
    ] as const) {
      await register('root', 'default', name);
      const founded = await invite(name, org, name);
      expect(founded.json()).toEqual({ code: 200, message: 'User added to org successfully' });
      expect(await members(name, org)).toEqual({ [email(name)]: 'admin' });
    }
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('a stranger’s admin learns nothing of an account, and has no power over it', async () => {
    await register('ada', 'aco', 'wes');
    for (const name of ['wes', 'nobody', 'root'])
      expect((await invite('bea', 'bco', name)).json()).toEqual(SENT);
    expect(await members('bea', 'bco')).toEqual({ [email('bea')]: 'admin' });
    expect((await sent('bea', 'bco')).sort()).toEqual(['wes', 'nobody', 'root'].map(email).sort());
    for (const path of ['users', 'invitations', 'audit?size=1000', 'summary', 'organizations']) {
      const seen = (await as('bea', 'GET', `/api/bco/${path}`)).bytes.toString();
      expect(seen).not.toMatch(/First-wes|Last-wes/);
      if (path.startsWith('audit')) expect(seen).not.toMatch(/wes@|nobody@/);
    }
    for (const name of ['wes', 'nobody', 'root']) {
      const path = `/api/bco/users/${email(name)}`;
      expect((await as('bea', 'PUT', path, { new_password: 'Taken-66-x' })).status).toBe(404);
      expect((await as('bea', 'DELETE', path)).status).toBe(404);
    }
    expect((await as('wes', 'GET', '/api/bco/streams')).status).toBe(403);
    // Her audit trail does not tell who was refused there, either.
    const trail = (await as('bea', 'GET', '/api/bco/audit?size=1000')).bytes.toString();
    expect(trail).not.toMatch(/wes@/);
    const kept = await as('root', 'GET', `/api/default/audit?actor=${email('wes')}`);
    expect(kept.bytes.toString()).toContain('CommandRefused');
    // home keeps all power
    const home = '/api/aco/users/wes@example.com';
    expect((await as('ada', 'PUT', home, { new_password: PASSWORD })).status).toBe(200);
    expect((await as('ada', 'PUT', home, { first_name: 'Wesley' })).status).toBe(200);
  });

  it('only the invited person accepts, and is a member from then on', async () => {
    await register('ada', 'aco', 'xia');
    expect((await invite('bea', 'bco', 'xia', 'editor')).json()).toEqual(SENT);
    const none = refusal(await answer('ada', 'bco', 'accept'));
    expect(none).toEqual([404, 'there is no such invitation, or it is over']);
    for (const org of ['no-such-org', 'default', 'aco'])
      expect(refusal(await answer('ada', org, 'accept'))).toEqual(none);
    expect(await received('xia')).toEqual([['bco', 'editor']]);
    expect((await answer('xia', 'bco', 'accept')).json()).toEqual({
      code: 200,
      message: 'Invitation accepted',
    });
    expect(await members('bea', 'bco')).toMatchObject({ [email('xia')]: 'editor' });
    expect(await received('xia')).toEqual([]);
    expect(await sent('bea', 'bco')).not.toContain(email('xia'));
    expect(refusal(await answer('xia', 'bco', 'accept'))).toEqual(none);
    expect((await as('xia', 'GET', '/api/bco/streams')).status).toBe(200);
    // now two tenants have the account: neither has its password
    for (const [by, org] of [
      ['ada', 'aco'],
      ['bea', 'bco'],
    ] as const) {
      const reset = { new_password: 'Taken-66-x' };
      expect((await as(by, 'PUT', `/api/${org}/users/${email('xia')}`, reset)).status).toBe(403);
    }
  });

  it('a person who declines is not asked again, and the organization is not told', async () => {
    await register('ada', 'aco', 'yan');
    expect((await invite('bea', 'bco', 'yan')).json()).toEqual(SENT);
    expect((await answer('yan', 'bco', 'decline')).json()).toEqual({
      code: 200,
      message: 'Invitation declined',
    });
    for (const role of ['editor', 'admin']) {
      expect((await invite('bea', 'bco', 'yan', role)).json()).toEqual(SENT);
      expect(await received('yan')).toEqual([]);
      expect((await answer('yan', 'bco', 'accept')).status).toBe(404);
    }
    expect(await sent('bea', 'bco')).toContain(email('yan'));
    const trail = (await as('bea', 'GET', '/api/bco/audit?size=1000')).bytes.toString();
    expect(trail).toContain('UserInvited');
    expect(trail).not.toMatch(/yan|Declined/);
  });

  it('can be withdrawn, by admins of the organization only', async () => {
    await register('ada', 'aco', 'zoe');
    const path = `/api/bco/invitations/${email('zoe')}`;
    expect((await invite('bea', 'bco', 'zoe')).json()).toEqual(SENT);
    expect((await as('ada', 'DELETE', path)).status).toBe(403);
    expect((await as('ada', 'GET', '/api/bco/invitations')).status).toBe(403);
    expect((await as('bea', 'DELETE', path)).json()).toEqual({
      code: 200,
      message: 'Invitation withdrawn',
    });
    expect((await as('bea', 'DELETE', path)).status).toBe(404);
    expect(await received('zoe')).toEqual([]);
    expect((await answer('zoe', 'bco', 'accept')).status).toBe(404);
  });

  it('an e-mail that nobody has yet is asked when somebody has it', async () => {
    expect((await invite('bea', 'bco', 'newcomer', 'viewer')).json()).toEqual(SENT);
    await register('ada', 'aco', 'newcomer');
    expect(await received('newcomer')).toEqual([['bco', 'viewer']]);
  });

  it('registering an e-mail that another tenant has is an invitation too, and changes nothing', async () => {
    await register('ada', 'aco', 'kim');
    const body = { ...person('kim', 'admin'), first_name: 'Mine', password: 'Other-88-x' };
    expect((await as('bea', 'POST', '/api/bco/users', body)).json()).toEqual(SENT);
    expect((await as('kim', 'GET', '/api/invitations', undefined, 'Other-88-x')).status).toBe(401);
    expect(await received('kim')).toEqual([['bco', 'admin']]);
    const list = (await as('ada', 'GET', '/api/aco/users')).bytes.toString();
    expect(list).toContain('First-kim');
    expect(list).not.toContain('Mine');
    // who may see the account is told that it exists
    for (const by of ['ada', 'root'])
      expect(refusal(await as(by, 'POST', '/api/aco/users', body))).toEqual([
        400,
        'User already exists',
      ]);
  });

  it('do not keep an account alive, and are not for who gets its e-mail later', async () => {
    await register('root', 'default', 'gus');
    expect((await invite('bea', 'bco', 'gus', 'admin')).json()).toEqual(SENT);
    expect((await as('root', 'DELETE', `/api/default/users/${email('gus')}`)).status).toBe(200);
    expect((await as('gus', 'GET', '/api/invitations')).status).toBe(401);
    await register('ada', 'aco', 'gus');
    expect(await received('gus')).toEqual([]);
    expect((await answer('gus', 'bco', 'accept')).status).toBe(404);
    expect(await sent('bea', 'bco')).toContain(email('gus'));
  });

  it('go when root erases whom they ask from everywhere', async () => {
    await register('ada', 'aco', 'era');
    expect((await invite('bea', 'bco', 'era')).json()).toEqual(SENT);
    expect(await sent('bea', 'bco')).toContain(email('era'));
    const path = `/api/aco/users/${email('era')}?erase=true`;
    expect((await as('root', 'DELETE', path)).status).toBe(200);
    expect(await sent('bea', 'bco')).not.toContain(email('era'));
  });

  it('end with the admin who vouched for them', async () => {
    await register('bea', 'bco', 'rogue', 'admin');
    await register('ada', 'aco', 'friend');
    expect((await invite('rogue', 'bco', 'friend', 'admin')).json()).toEqual(SENT);
    expect((await as('bea', 'DELETE', `/api/bco/users/${email('rogue')}`)).status).toBe(200);
    expect(await received('friend')).toEqual([]);
    expect((await answer('friend', 'bco', 'accept')).status).toBe(404);
  });

  it('are not needed by root, nor by who administers all that the account is in', async () => {
    await register('ada', 'aco', 'own');
    const added = { code: 200, message: 'User added to org successfully' };
    expect((await invite('ada', 'aco2', 'own', 'editor')).json()).toEqual(added);
    expect(await members('ada', 'aco2')).toEqual({
      [email('ada')]: 'admin',
      [email('own')]: 'editor',
    });
    expect((await invite('bea', 'bco', 'own', 'admin')).json()).toEqual(SENT);
    expect((await invite('root', 'bco', 'own', 'viewer')).json()).toEqual(added);
    // A direct addition ends the invitation: it gives no other role, and no way back.
    expect((await answer('own', 'bco', 'accept')).status).toBe(404);
    expect(await members('bea', 'bco')).toMatchObject({ [email('own')]: 'viewer' });
    expect((await as('bea', 'DELETE', `/api/bco/users/${email('own')}`)).status).toBe(200);
    expect((await answer('own', 'bco', 'accept')).status).toBe(404);
    expect(await members('bea', 'bco')).not.toHaveProperty([email('own')]);
  });

  it('an account of `default` is nobody’s to take, for being in nothing else', async () => {
    await register('root', 'default', 'lone');
    expect((await invite('bea', 'bco', 'lone')).json()).toEqual(SENT);
    expect((await answer('lone', 'bco', 'accept')).status).toBe(200);
    const path = `/api/bco/users/${email('lone')}`;
    expect((await as('bea', 'PUT', path, { new_password: 'Taken-66-x' })).status).toBe(403);
  });

  it('founding an organization gives no power over who is named with it', async () => {
    expect((await invite('bea', 'trap', 'wes', 'editor')).json()).toEqual(SENT);
    expect(await members('bea', 'trap')).toEqual({ [email('bea')]: 'admin' });
    expect(await received('wes')).toContainEqual(['trap', 'editor']);
    expect((await invite('bea', 'trap-for-nobody', 'nobody', 'editor')).json()).toEqual(SENT);
    expect(await members('bea', 'trap-for-nobody')).toEqual({ [email('bea')]: 'admin' });
  });

  it('400 for what is no e-mail, and no organization is made for it', async () => {
    const bad = await as('bea', 'POST', '/api/unmade/users/a@b', { role: 'viewer' });
    expect(refusal(bad)).toEqual([400, 'email: want an e-mail address']);
    expect((await as('root', 'GET', '/api/unmade/users')).status).toBe(404);
  });

  it('are the same after a restart, from a snapshot and from the events', async () => {
    const state = async () => [
      await received('wes'),
      await received('yan'),
      await received('gus'),
      await sent('bea', 'bco'),
    ];
    const before = await state();
    expect(JSON.stringify(before)).toContain('trap');
    await restart();
    expect(await state()).toEqual(before);
    await restart(() => rmSync(join(dataDirectory, 'snapshots'), { recursive: true, force: true }));
    expect(await state()).toEqual(before);
  }, 120_000);

  it('accepted while the account is erased leave no member that nobody is', async () => {
    const names = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'];
    for (const name of names) await register('root', 'default', name);
    for (const name of names) {
      const org = `race-${name}`;
      expect((await invite('ada', org, name, 'admin')).json()).toEqual(SENT);
      expect((await received(name)).length).toBe(1);
      const [accepted, erased] = await Promise.all([
        answer(name, org, 'accept'),
        as('root', 'DELETE', `/api/default/users/${email(name)}`),
      ]);
      expect([200, 401, 404]).toContain(accepted.status);
      expect(erased.status).toBe(200);
      const alive = (await as(name, 'GET', '/api/invitations')).status === 200;
      const isMember = Object.keys(await members('ada', org)).includes(email(name));
      expect(isMember).toBe(alive);
      // nobody who is not there counts as an admin: the founder is the last one, when alone
      if (!alive)
        expect((await as('ada', 'DELETE', `/api/${org}/users/${email('ada')}`)).status).toBe(403);
    }
  }, 120_000);

  it('are paced by account: names can be tried ten a minute after the first fifty', async () => {
    const statuses: number[] = [];
    let refused: Answer | undefined;
    for (let n = 0; n < 60 && !refused; n += 1) {
      const each = await invite('lone', n % 2 === 0 ? 'aco' : 'no-such', `guess${n}`);
      statuses.push(each.status);
      if (each.status === 429) refused = each;
    }
    expect(refused && Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused && refusal(refused)[1]).toContain('wait');
    expect(statuses.length).toBeGreaterThan(50);
    const body = person('paced');
    expect((await as('lone', 'POST', '/api/no-such/users', body)).status).toBe(429);
    expect((await invite('root', 'bco', 'lone', 'viewer')).status).toBe(200);
  });
});
