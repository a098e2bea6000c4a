import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';

/** Each route of "Users". */
describe('users', () => {
  let server: Server;
  let made = 0;
  const fresh = (): string => `user${(made += 1)}`;
  const email = (name: string): string => (name === 'root' ? ROOT.email : `${name}@example.com`);

  function as(
    name: string,
    method: string,
    path: string,
    body?: unknown,
    password = PASSWORD,
  ): Promise<Answer> {
    return server.client.call(path, {
      method,
      credentials: name === 'root' ? ROOT : { email: email(name), password },
      headers: { 'content-type': 'application/json' },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
  const body = (name: string, more: object = {}) => ({
    email: email(name),
    first_name: 'Ann',
    last_name: 'Lee',
    password: PASSWORD,
    role: 'viewer',
    ...more,
  });
  const add = async (org: string, role = 'viewer'): Promise<string> => {
    const name = fresh();
    const answer = await as('root', 'POST', `/api/${org}/users`, body(name, { role }));
    expect([answer.status, answer.bytes.toString()]).toEqual([
      200,
      '{"code":200,"message":"User saved successfully"}',
    ]);
    return name;
  };
  const member = async (
    org: string,
    name: string,
  ): Promise<Record<string, unknown> | undefined> => {
    const { data } = (await as('root', 'GET', `/api/${org}/users`)).json<{
      data: Record<string, unknown>[];
    }>();
    return data.find((each) => each.email === email(name));
  };
  const refusal = (answer: Answer): [number, string] => {
    const { code, message } = answer.json<{ code: number; message: string }>();
    expect(code).toBe(answer.status);
    return [code, message];
  };

  beforeAll(async () => {
    server = await startServer();
    const founder = await add('default', 'admin');
    expect(
      (await as('root', 'POST', `/api/acme/users/${email(founder)}`, { role: 'admin' })).status,
    ).toBe(200);
  });
  afterAll(() => server.stop());

  describe('POST /api/{org}/users', () => {
    it.each(['admin', 'editor', 'member', 'viewer'])(
      'registers a %s, first in `default`',
      async (role) => {
        const name = await add('acme', role);
        expect(await member('acme', name)).toMatchObject({
          first_name: 'Ann',
          last_name: 'Lee',
          role,
        });
        expect(await member('default', name)).toMatchObject({ role: 'viewer' });
        const own = await as(name, 'GET', '/api/organizations');
        expect(
          own
            .json<{ data: { name: string; role: string }[] }>()
            .data.map(({ name, role }) => [name, role])
            .sort(),
        ).toEqual([
          ['acme', role],
          ['default', 'viewer'],
        ]);
      },
    );

    it('gives an account of `default` the role that was asked for', async () => {
      expect(await member('default', await add('default', 'editor'))).toMatchObject({
        role: 'editor',
      });
    });

    it.each<[string, object]>([
      ['no e-mail', { email: undefined }],
      ['no password', { password: undefined }],
      ['no role', { role: undefined }],
      ['no e-mail address', { email: 'ann' }],
      ['an e-mail with an invisible character', { email: 'ann\u200b@example.com' }],
      ['an e-mail with a soft hyphen', { email: 'an\u00adn@example.com' }],
      ['an e-mail with a colon', { email: 'a:b@example.com' }],
      ['an e-mail of 300 characters', { email: `${'a'.repeat(290)}@example.com` }],
      ['a role there is not', { role: 'owner' }],
      ['the role root', { role: 'root' }],
      ['a password of 7 characters', { password: 'Aa1-567' }],
      ['a password of 129 characters', { password: `Aa1-${'x'.repeat(125)}` }],
      ['no lower case', { password: 'SECRET-77' }],
      ['no upper case', { password: 'secret-77' }],
      ['no digit', { password: 'Secret-xx' }],
      ['no special character', { password: 'Secret777' }],
      ['a name that is a number', { first_name: 7 }],
    ])('400: %s', async (_, wrong) => {
      const name = fresh();
      const [status, message] = refusal(
        await as('root', 'POST', '/api/acme/users', body(name, wrong)),
      );
      expect(status).toBe(400);
      expect(message.length).toBeGreaterThan(10);
      expect(await member('default', name)).toBeUndefined();
    });

    it.each(['', '[]', 'null', '{', '"text"', '{"email":1}'])('400: the body %s', async (text) => {
      const [status] = refusal(await as('root', 'POST', '/api/acme/users', text));
      expect(status).toBe(400);
    });

    it('400: the account exists, whatever the letters and whichever organization', async () => {
      const name = await add('acme');
      for (const org of ['acme', 'default'])
        for (const address of [email(name), email(name).toUpperCase()])
          expect(
            refusal(await as('root', 'POST', `/api/${org}/users`, body(name, { email: address }))),
          ).toEqual([400, 'User already exists']);
    });

    it.each<[string, object]>([
      ['a password of 8 characters', { password: 'Aa1-5678' }],
      ['a password of 128 characters', { password: `Aa1-${'x'.repeat(124)}` }],
      ['a password with a colon and letters of many alphabets', { password: 'Aa1:äö:€Ж' }],
      ['no names, as clients of OpenObserve may', { first_name: undefined, last_name: undefined }],
    ])('takes %s', async (_, more) => {
      const name = fresh();
      expect((await as('root', 'POST', '/api/acme/users', body(name, more))).status).toBe(200);
      const { password = PASSWORD } = more as { password?: string };
      expect((await as(name, 'GET', '/api/acme/streams', undefined, password)).status).toBe(200);
    });

    it('makes one account of one e-mail, however many ask at the same time', async () => {
      const name = fresh();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => as('root', 'POST', '/api/acme/users', body(name))),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      for (const answer of answers.filter(({ status }) => status === 400))
        expect(refusal(answer)).toEqual([400, 'User already exists']);
    });

    it('403 for who is no admin, 404 for root where there is no organization', async () => {
      const editor = await add('acme', 'editor');
      expect(refusal(await as(editor, 'POST', '/api/acme/users', body(fresh())))[0]).toBe(403);
      expect(refusal(await as('root', 'POST', '/api/nowhere/users', body(fresh())))[0]).toBe(404);
    });
  });

  describe('PUT /api/{org}/users/{email}', () => {
    const put = (
      by: string,
      name: string,
      changes: unknown,
      password = PASSWORD,
    ): Promise<Answer> => as(by, 'PUT', `/api/acme/users/${email(name)}`, changes, password);

    it('changes names and role', async () => {
      const name = await add('acme');
      const answer = await put('root', name, {
        first_name: 'New',
        last_name: 'Name',
        role: 'editor',
      });
      expect(answer.json()).toEqual({ code: 200, message: 'User updated successfully' });
      expect(await member('acme', name)).toMatchObject({
        first_name: 'New',
        last_name: 'Name',
        role: 'editor',
      });
      expect(await member('default', name)).toMatchObject({ role: 'viewer' });
    });

    it('changes an own password with the old one only; the old one is dead at once', async () => {
      const name = await add('acme');
      const changed = 'Changed-88';
      for (const wrong of [{}, { old_password: 'Wrong-99-x' }])
        expect(refusal(await put(name, name, { ...wrong, new_password: changed }))[0]).toBe(400);
      expect(
        (await put(name, name, { old_password: PASSWORD, new_password: changed })).status,
      ).toBe(200);
      expect((await as(name, 'GET', '/api/acme/streams')).status).toBe(401);
      expect((await as(name, 'GET', '/api/acme/streams', undefined, changed)).status).toBe(200);
    });

    it('finds an account whatever the letters of its e-mail, percent-encoded or not', async () => {
      const name = await add('acme');
      for (const address of [email(name).toUpperCase(), encodeURIComponent(email(name))])
        expect(
          (await as('root', 'PUT', `/api/acme/users/${address}`, { last_name: address })).status,
        ).toBe(200);
      expect(await member('acme', name)).toMatchObject({
        last_name: encodeURIComponent(email(name)),
      });
      expect(refusal(await as('root', 'PUT', '/api/acme/users/%ZZ', { last_name: 'x' }))[0]).toBe(
        400,
      );
    });

    it('lets an admin reset the password of whom the organization registered, until another has them too', async () => {
      const [admin, name] = [await add('acme', 'admin'), await add('acme')];
      const reset = (password: string) => put(admin, name, { new_password: password });
      expect((await reset('First-11-x')).status).toBe(200);
      expect((await as(name, 'GET', '/api/acme/streams', undefined, 'First-11-x')).status).toBe(
        200,
      );
      const other = `/api/elsewhere/users/${email(name)}`;
      expect((await as('root', 'POST', other, { role: 'viewer' })).status).toBe(200);
      expect(refusal(await reset('Second-22-x'))[0]).toBe(403);
      expect((await as('root', 'DELETE', other)).status).toBe(200);
      expect((await reset('Third-33-x')).status).toBe(200);
    });

    it('changes nothing at all when a part of it is refused', async () => {
      const [admin, name] = [await add('acme', 'admin'), await add('default', 'editor')];
      const path = `/api/acme/users/${email(name)}`;
      expect((await as('root', 'POST', path, { role: 'viewer' })).status).toBe(200);
      expect(refusal(await put(admin, name, { role: 'editor', first_name: 'X' }))[0]).toBe(403);
      expect(await member('acme', name)).toMatchObject({ role: 'viewer', first_name: 'Ann' });
    });

    it('lets people change their own names, and nobody their own role', async () => {
      const name = await add('acme', 'viewer');
      expect((await put(name, name, { first_name: 'Me' })).status).toBe(200);
      expect(await member('acme', name)).toMatchObject({ first_name: 'Me', role: 'viewer' });
      expect(refusal(await put(name, name, { role: 'admin' }))[0]).toBe(403);
      expect(refusal(await put(name, await add('acme'), { first_name: 'You' }))[0]).toBe(403);
    });

    it('400: nothing to update, a weak password, a role there is not', async () => {
      const name = await add('acme');
      for (const changes of [
        {},
        { old_password: PASSWORD },
        { new_password: 'weak' },
        { role: 'king' },
        { role: 'root' },
      ])
        expect(refusal(await put('root', name, changes))[0]).toBe(400);
    });

    it('403 for who is no admin, whether there is such a person or not: in default everybody is', async () => {
      const [viewer, other] = [await add('acme', 'viewer'), await add('acme', 'viewer')];
      for (const org of ['default', 'acme']) {
        const ask = (name: string): Promise<Answer> =>
          as(viewer, 'PUT', `/api/${org}/users/${email(name)}`, { first_name: 'You' });
        const [there, nowhere, root] = [await ask(other), await ask('nobody'), await ask('root')];
        expect(refusal(there)[0]).toBe(403);
        for (const answer of [nowhere, root]) expect(refusal(answer)).toEqual(refusal(there));
      }
    });

    it('404: no such user, or one of another organization', async () => {
      const other = await add('default');
      for (const name of ['nobody', other])
        expect(refusal(await put('root', name, { first_name: 'X' }))).toEqual([
          404,
          'User not found',
        ]);
    });
  });

  describe('POST /api/{org}/users/{email}', () => {
    const join = (
      by: string,
      org: string,
      name: string,
      role: unknown = 'viewer',
    ): Promise<Answer> => as(by, 'POST', `/api/${org}/users/${email(name)}`, { role });

    it('makes a member, or gives one another role', async () => {
      const name = await add('default');
      for (const role of ['viewer', 'editor', 'editor']) {
        expect((await join('root', 'acme', name, role)).json()).toEqual({
          code: 200,
          message: 'User added to org successfully',
        });
        expect(await member('acme', name)).toMatchObject({ role });
      }
    });

    it('makes the organization when there is none, with who asks as its admin', async () => {
      const [founder, guest] = [await add('default'), await add('default')];
      expect((await join(founder, 'theirs', guest, 'editor')).json()).toEqual({
        code: 200,
        message: 'Invitation sent',
      });
      expect(await member('theirs', founder)).toMatchObject({ role: 'admin' });
      expect(await member('theirs', guest)).toBeUndefined();
      expect((await as(guest, 'POST', '/api/invitations/theirs/accept')).status).toBe(200);
      expect(await member('theirs', guest)).toMatchObject({ role: 'editor' });
      expect((await as(founder, 'GET', '/api/theirs/users')).status).toBe(200);
      expect((await join(await add('default'), 'theirs', guest)).status).toBe(403);
    });

    it('makes one organization when two ask at the same time: the other is told 403', async () => {
      const [one, two, guest] = [await add('default'), await add('default'), await add('default')];
      const answers = await Promise.all([join(one, 'raced', guest), join(two, 'raced', guest)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      const founder = answers[0].status === 200 ? one : two;
      expect(await member('raced', founder)).toMatchObject({ role: 'admin' });
      expect(await member('raced', founder === one ? two : one)).toBeUndefined();
    });

    it('400 for a name that is none for an organization', async () => {
      const name = await add('default');
      for (const org of ['Bad', 'a.b', '-a', 'x'.repeat(64)])
        expect(refusal(await join('root', org, name))[0]).toBe(400);
    });

    it('403: root as a member, and the last admin who makes himself less; root may', async () => {
      expect(refusal(await join('root', 'acme', 'root'))[0]).toBe(403);
      const founder = await add('default');
      expect((await join(founder, 'single', founder, 'viewer')).status).toBe(200);
      expect(await member('single', founder)).toMatchObject({ role: 'admin' });
      expect(refusal(await join(founder, 'single', founder, 'viewer'))[0]).toBe(403);
      expect((await join('root', 'single', founder, 'viewer')).status).toBe(200);
      expect(await member('single', founder)).toMatchObject({ role: 'viewer' });
    });

    it('400: a role there is not', async () => {
      const name = await add('default');
      for (const role of ['king', 'root', '', 7, null, undefined])
        expect(
          refusal(await as('root', 'POST', `/api/acme/users/${email(name)}`, { role }))[0],
        ).toBe(400);
      expect(await member('acme', name)).toBeUndefined();
    });

    it('403 for who is no admin; root is told 404 for nobody, and makes no organization for nobody', async () => {
      const [editor, name] = [await add('acme', 'editor'), await add('default')];
      expect(refusal(await join(editor, 'acme', name))[0]).toBe(403);
      expect(refusal(await join('root', 'acme', 'nobody'))).toEqual([404, 'User not found']);
      expect(refusal(await join('root', 'fresh', 'nobody'))).toEqual([404, 'User not found']);
      expect((await as('root', 'GET', '/api/fresh/users')).status).toBe(404);
    });
  });

  describe('DELETE /api/{org}/users/{email}', () => {
    const remove = (by: string, name: string): Promise<Answer> =>
      as(by, 'DELETE', `/api/acme/users/${email(name)}`);

    it('takes out of this organization and no other', async () => {
      const name = await add('acme');
      expect((await remove('root', name)).json()).toEqual({
        code: 200,
        message: 'User removed from organization',
      });
      expect(await member('acme', name)).toBeUndefined();
      expect(await member('default', name)).toBeDefined();
      expect((await as(name, 'GET', '/api/acme/streams')).status).toBe(403);
    });

    it('403: root, the last admin himself, or by who is no admin; root may', async () => {
      expect(refusal(await remove('root', 'root'))[0]).toBe(403);
      const [founder, guest] = [await add('default'), await add('default')];
      expect(
        (await as(founder, 'POST', `/api/lonely/users/${email(guest)}`, { role: 'editor' })).status,
      ).toBe(200);
      expect((await as(guest, 'POST', '/api/invitations/lonely/accept')).status).toBe(200);
      expect(refusal(await as(founder, 'DELETE', `/api/lonely/users/${email(founder)}`))[0]).toBe(
        403,
      );
      expect(
        refusal(
          await as(founder, 'PUT', `/api/lonely/users/${email(founder)}`, { role: 'viewer' }),
        )[0],
      ).toBe(403);
      expect(refusal(await as(guest, 'DELETE', `/api/lonely/users/${email(founder)}`))[0]).toBe(
        403,
      );
      expect(await member('lonely', founder)).toMatchObject({ role: 'admin' });
      const root = await as('root', 'PUT', `/api/lonely/users/${email(founder)}`, {
        role: 'viewer',
      });
      expect(root.status).toBe(200);
      expect((await as('root', 'DELETE', `/api/lonely/users/${email(founder)}`)).status).toBe(200);
      expect(await member('lonely', founder)).toBeUndefined();
    });

    it('404: nobody, or somebody of another organization', async () => {
      for (const name of ['nobody', await add('default')])
        expect(refusal(await remove('root', name))[0]).toBe(404);
    });
  });

  it('GET /api/{org}/users lists members, with root, in a stable order', async () => {
    const first = await as('root', 'GET', '/api/acme/users');
    const { data } = first.json<{ data: Record<string, unknown>[] }>();
    for (const each of data)
      expect(Object.keys(each).sort()).toEqual([
        'created_at',
        'email',
        'first_name',
        'last_name',
        'role',
      ]);
    expect(data.map(({ created_at }) => typeof created_at)).toEqual(data.map(() => 'number'));
    expect((await as('root', 'GET', '/api/acme/users')).bytes.toString()).toBe(
      first.bytes.toString(),
    );
    const viewer = await add('acme');
    expect(refusal(await as(viewer, 'GET', '/api/acme/users'))[0]).toBe(403);
  });

  it('remembers a command by its Idempotency-Key', async () => {
    const name = fresh();
    const send = (key: string): Promise<Answer> =>
      server.client.call('/api/acme/users', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body(name)),
      });
    expect((await send('k-1')).status).toBe(200);
    expect((await send('k-1')).status).toBe(200);
    expect((await send('k-2')).status).toBe(400);
  });

  it('refuses another command under an Idempotency-Key that was used', async () => {
    const name = fresh();
    expect((await as('root', 'POST', '/api/acme/users', body(name))).status).toBe(200);
    const put = (sent: object): Promise<Answer> =>
      server.client.call(`/api/acme/users/${body(name).email}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k-1' },
        body: JSON.stringify(sent),
      });
    expect((await put({ first_name: 'First' })).status).toBe(200);
    expect((await put({ first_name: 'First' })).status).toBe(200);
    expect(refusal(await put({ first_name: 'Second' }))).toEqual([
      409,
      expect.stringContaining('use a new key') as string,
    ]);
  });
});
