import type { Answer } from '../server/client.js';
import { until } from '../server/until.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';

interface Hit {
  readonly position: number;
  readonly occurred_at: string;
  readonly type: string;
  readonly outcome: string;
  readonly actor: string;
  readonly subject: string;
  readonly address: string;
  readonly user_agent: string;
  readonly request_id: string;
  readonly stream: string;
  readonly data: unknown;
  readonly hash: string;
}

/** Each route of "Organizations", with the audit trail. */
describe('organizations', () => {
  let server: Server;
  const ann = { email: 'ann@example.com', password: PASSWORD };
  const vic = { email: 'vic@example.com', password: PASSWORD };

  const as = (
    credentials: { email: string; password: string },
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    server.client.call(path, {
      method,
      credentials,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    server = await startServer();
    for (const [{ email, password }, role] of [
      [ann, 'admin'],
      [vic, 'viewer'],
    ] as const) {
      const body = { email, password, first_name: 'F', last_name: 'L', role };
      expect((await as(ROOT, 'POST', '/api/default/users', body)).status).toBe(200);
    }
    expect(
      (await as(ann, 'POST', '/api/acme/users/vic@example.com', { role: 'viewer' })).status,
    ).toBe(200);
    expect(
      (await as(ann, 'POST', '/api/acme/logs/_json?wait=true', [{ a: 1 }, { a: 2 }, 7])).status,
    ).toBe(200);
  });
  afterAll(() => server.stop());

  it.each(['/api/organizations', '/api/acme/organizations'])(
    'GET %s lists those that the caller is in',
    async (path) => {
      const { data } = (await as(vic, 'GET', path)).json<{ data: Record<string, unknown>[] }>();
      const entry = { id: expect.any(Number) as number, created_at: expect.any(Number) as number };
      expect(data).toEqual(
        [
          ['acme', 'custom'],
          ['default', 'default'],
        ].map(([name, type]) => ({
          ...entry,
          identifier: name,
          name,
          type,
          user_email: vic.email,
          role: 'viewer',
        })),
      );
      const all = (await as(ROOT, 'GET', path)).json<{ data: { name: string; role: string }[] }>();
      expect(all.data.map(({ name, role }) => [name, role])).toEqual([
        ['acme', 'root'],
        ['default', 'root'],
      ]);
    },
  );

  it.each(['/api/acme/organizations/passcode', '/api/acme/passcode'])(
    'GET and PUT %s: the old one is dead at once',
    async (path) => {
      const get = async (method = 'GET') =>
        (await as(ann, method, path)).json<{ data: { passcode: string; user: string } }>().data;
      const before = await get();
      expect(before.user).toBe(ann.email);
      expect(before.passcode.length).toBeGreaterThanOrEqual(32);
      expect(await get()).toEqual(before);
      const query = (passcode: string) =>
        server.client.call('/api/acme/sql', {
          body: 'SELECT count() AS n FROM logs',
          credentials: { email: ann.email, password: passcode },
        });
      expect((await query(before.passcode)).json()).toEqual([{ n: 2 }]);
      const after = await get('PUT');
      expect(after.passcode).not.toBe(before.passcode);
      expect(await get()).toEqual(after);
      expect((await query(before.passcode)).status).toBe(401);
      expect((await query(after.passcode)).status).toBe(200);
      for (const method of ['GET', 'PUT']) expect((await as(vic, method, path)).status).toBe(403);
    },
  );

  it('lets the passcode read the list and the schemas of streams, and change none', async () => {
    const { passcode } = (await as(ann, 'GET', '/api/acme/passcode')).json<{
      data: { passcode: string };
    }>().data;
    const key = { email: ann.email, password: passcode };
    const list = (await as(key, 'GET', '/api/acme/streams')).json<{ list: unknown[] }>();
    expect(list.list).toMatchObject([{ name: 'logs' }]);
    expect((await as(key, 'GET', '/api/acme/logs/schema')).json()).toMatchObject({ name: 'logs' });
    expect((await as(key, 'POST', '/api/acme/logs/settings', {})).status).toBe(403);
    for (const [method, path] of [
      ['DELETE', '/api/acme/logs'],
      ['GET', '/api/acme/users'],
      ['GET', '/api/acme/summary'],
    ] as const)
      expect((await as(key, method, path)).status).toBe(403);
  });

  it('GET /api/{org}/summary tells what the organization has', async () => {
    const summary = (await as(vic, 'GET', '/api/acme/summary')).json<Record<string, unknown>>();
    expect(summary).toMatchObject({
      num_streams: 1,
      total_records: 2,
      users: 2,
      rejected_records: 1,
    });
    // The summary tells bytes; a stream's record tells megabytes, as OpenObserve does.
    const [{ stats }] = summary.streams as [{ stats: { storage_size: number } }];
    expect(stats.storage_size).toBeGreaterThan(0);
    expect(stats.storage_size).toBeLessThan(1);
    expect(summary.total_storage_size).toBe(stats.storage_size * 1_048_576);
    expect(summary.streams).toMatchObject([{ name: 'logs', stats: { doc_num: 2 } }]);
    expect((await as(ann, 'GET', '/api/default/summary')).json()).toMatchObject({
      num_streams: 0,
      total_records: 0,
    });
  });

  it('counts what is there at that moment, also after streams and people go', async () => {
    const person = { email: 'passing@example.com', password: PASSWORD, role: 'viewer' };
    expect((await as(ann, 'POST', '/api/acme/users', person)).status).toBe(200);
    expect(
      (await as(ann, 'POST', '/api/acme/passing/_json?wait=true', [{ a: 1 }, 'bad'])).status,
    ).toBe(200);
    const summary = async () => (await as(ann, 'GET', '/api/acme/summary')).json();
    expect(await summary()).toMatchObject({
      num_streams: 2,
      total_records: 3,
      users: 3,
      rejected_records: 2,
    });
    expect((await as(ann, 'DELETE', '/api/acme/passing')).status).toBe(200);
    expect((await as(ann, 'DELETE', `/api/acme/users/${person.email}`)).status).toBe(200);
    expect(await summary()).toMatchObject({
      num_streams: 1,
      total_records: 2,
      users: 2,
      rejected_records: 1,
    });
  });

  it('the last of passcodes that are made at the same time is the one that counts', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(() => as(ann, 'PUT', '/api/acme/organizations/passcode')),
    );
    const passcodes = made.map((answer) => {
      expect(answer.status).toBe(200);
      return answer.json<{ data: { passcode: string } }>().data.passcode;
    });
    const now = (await as(ann, 'GET', '/api/acme/passcode')).json<{ data: { passcode: string } }>();
    expect(passcodes).toContain(now.data.passcode);
    for (const passcode of new Set(passcodes)) {
      const answer = await server.client.call('/api/acme/sql', {
        body: 'SELECT 1 AS one',
        credentials: { email: ann.email, password: passcode },
      });
      expect(answer.status).toBe(passcode === now.data.passcode ? 200 : 401);
    }
  });

  describe('GET /api/{org}/audit', () => {
    const audit = async (query = ''): Promise<{ hits: Hit[]; total: number }> =>
      (await as(ann, 'GET', `/api/acme/audit${query}`)).json();

    it('tells who did what, when, from where and by which request', async () => {
      const requestId = '8d2f3c1e-0000-4000-8000-00000000abcd';
      const answer = await as(
        ann,
        'POST',
        '/api/acme/users',
        {
          email: 'new@example.com',
          password: PASSWORD,
          first_name: 'N',
          last_name: 'N',
          role: 'editor',
        },
        { 'x-request-id': requestId, 'user-agent': 'teller/1.0' },
      );
      expect(answer.headers['x-request-id']).toBe(requestId);
      const { hits } = await audit('?type=UserAddedToOrganization&size=1');
      expect(hits[0]).toMatchObject({
        type: 'UserAddedToOrganization',
        outcome: 'done',
        actor: ann.email,
        subject: 'new@example.com',
        address: '127.0.0.1',
        user_agent: 'teller/1.0',
        request_id: requestId,
      });
      expect(Math.abs(Date.now() - Date.parse(hits[0]?.occurred_at ?? ''))).toBeLessThan(60_000);
    });

    it('has failed logins and refused commands in it', async () => {
      await as({ ...vic, password: 'Wrong-1-Wrong' }, 'GET', '/api/acme/streams');
      await until(async () => (await audit('?type=LoginFailed')).total > 0);
      await as(vic, 'DELETE', '/api/acme/streams/logs');
      const { hits } = await audit('?size=2');
      expect(hits).toMatchObject([
        {
          type: 'CommandRefused',
          outcome: 'refused',
          actor: vic.email,
          data: { method: 'DELETE', reason: 'FORBIDDEN' },
        },
        { type: 'LoginFailed', outcome: 'failed', actor: 'anonymous', subject: vic.email },
      ]);
    });

    it('is newest first, in pages, and by type and actor', async () => {
      const { hits, total } = await audit('?size=1000');
      expect(hits).toHaveLength(total);
      const positions = hits.map(({ position }) => position);
      expect(positions).toEqual([...positions].sort((a, b) => b - a));
      const paged: Hit[] = [];
      for (let from = 0; from < total; from += 3) {
        const page = await audit(`?from=${from}&size=3`);
        expect(page.total).toBe(total);
        paged.push(...page.hits);
      }
      expect(paged).toEqual(hits);
      expect((await audit('?type=StreamCreated&size=1000')).hits).toEqual(
        hits.filter(({ type }) => type === 'StreamCreated'),
      );
      const byAnn = await audit(`?actor=${ann.email}&size=1000`);
      expect(byAnn.hits).toEqual(hits.filter(({ actor }) => actor === ann.email));
      expect(byAnn.total).toBe(byAnn.hits.length);
    });

    it('is found by outcome, time and hash', async () => {
      const { hits, total } = await audit('?size=1000');
      const refused = await audit('?outcome=refused&size=1000');
      expect(refused.hits).toEqual(hits.filter(({ outcome }) => outcome === 'refused'));
      expect(refused.total).toBeGreaterThan(0);
      const middle = hits[Math.floor(total / 2)];
      const micros = Date.parse(middle?.occurred_at ?? '') * 1000;
      const early = await audit(`?end_time=${micros}&size=1000`);
      const late = await audit(`?start_time=${micros}&size=1000`);
      expect([...late.hits, ...early.hits]).toEqual(hits);
      expect([late.total, early.total].every((each) => each > 0)).toBe(true);
      expect(await audit(`?hash=${middle?.hash}`)).toEqual({ hits: [middle], total: 1 });
      expect((await audit("?hash=' OR 1 = 1 --")).total).toBe(0);
    });

    it('is compared with the events', async () => {
      const { hits, total } = await audit('?size=1');
      const answer = await as(ann, 'POST', '/api/acme/audit/verify');
      const verdict = { intact: true, entries: total, head: hits[0]?.hash, problems: [] };
      expect(answer.json()).toMatchObject({ code: 200, data: verdict });
    });

    it('is the table `_audit` too, for admins only', async () => {
      const ask = (credentials: typeof ann, org: string) =>
        server.client.call(`/api/${org}/sql`, {
          body: 'SELECT count() AS n, max(position) AS last FROM _audit',
          credentials,
        });
      const { total, hits } = await audit('?size=1');
      expect((await ask(ann, 'acme')).json()).toEqual([{ n: total, last: hits[0]?.position }]);
      expect([403, 404]).toContain((await ask(vic, 'acme')).status);
      const { passcode } = (await as(ann, 'GET', '/api/acme/passcode')).json<{
        data: { passcode: string };
      }>().data;
      expect([403, 404]).toContain((await ask({ ...ann, password: passcode }, 'acme')).status);
    });

    it.each(['acme', 'default'])('says the same in both ways, row by row (%s)', async (org) => {
      const hits: { stream_name?: string }[] = [];
      for (let full = true; full;) {
        const answer = await server.client.call(`/api/${org}/audit?size=7&from=${hits.length}`);
        const page = answer.json<{ hits: { stream_name: string }[] }>().hits;
        // The table has no such column: the name is that of the creation's entry.
        hits.push(...page.map(({ stream_name: _, ...hit }) => hit));
        full = page.length === 7;
      }
      const answer = await server.client.call(`/api/${org}/sql`, {
        body:
          'SELECT position, _timestamp AS occurred_at, type, outcome, actor, subject, address, user_agent, request_id, stream, data, hash' +
          ' FROM _audit ORDER BY position DESC',
      });
      const rows = answer.json<{ data: string }[]>();
      expect(rows.length).toBeGreaterThan(5);
      expect(
        rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as unknown })),
      ).toEqual(hits);
    });

    it.each([
      '?from=-1',
      '?size=0',
      '?size=1001',
      '?size=x',
      '?sort=up',
      '?outcome=x',
      '?end_time=now',
    ])('400: %s', async (query) => {
      expect((await as(ann, 'GET', `/api/acme/audit${query}`)).status).toBe(400);
    });
  });
});
