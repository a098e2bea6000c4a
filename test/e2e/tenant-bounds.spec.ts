import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

const ORGANIZATIONS = 3;
const STREAMS = 4;
const PASSWORD = 'Secret-77';

describe('the bounds of one account and of one organization', () => {
  let server: Server;
  const ann = { email: 'ann@example.com', password: PASSWORD };
  beforeAll(async () => {
    server = await startServer({
      variables: {
        MILLRACE_ACCOUNT_ORGANIZATIONS: String(ORGANIZATIONS),
        MILLRACE_ORG_STREAMS: String(STREAMS),
        MILLRACE_ORG_UPLOAD_BYTES_PER_SECOND: '1000000',
      },
    });
    for (const { email } of [ann, { email: 'ben@example.com' }]) {
      const body = JSON.stringify({ email, password: PASSWORD, role: 'member' });
      expect((await server.client.call('/api/default/users', { body })).status).toBe(200);
    }
  });
  afterAll(() => server.stop());

  const found = (organization: string, credentials: typeof ann): Promise<Answer> =>
    server.client.call(`/api/${organization}/users/${credentials.email}`, {
      body: '{"role":"admin"}',
      credentials,
    });
  const as = (path: string, body: string): Promise<Answer> =>
    server.client.call(path, { body, credentials: ann });
  const streamsOf = async (organization: string): Promise<string[]> => {
    const answer = await server.client.call(`/api/${organization}/streams`);
    return answer.json<{ list: { name: string }[] }>().list.map(({ name }) => name);
  };

  it('is so many organizations, however many are asked for at once; root has no such bound', async () => {
    const answers = await Promise.all(
      Array.from({ length: ORGANIZATIONS + 5 }, (_, n) => found(`ann-${n}`, ann)),
    );
    const refused = answers.filter(({ status }) => status === 403);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(ORGANIZATIONS);
    expect(refused).toHaveLength(5);
    for (const answer of refused)
      expect(answer.json<{ message: string }>().message).toMatch(
        /at most 3 organizations .*MILLRACE_ACCOUNT_ORGANIZATIONS/,
      );
    // She keeps the organizations that she has, and somebody else may found as many.
    const own = await server.client.call('/api/organizations', { credentials: ann });
    const names = own.json<{ data: { name: string }[] }>().data.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('ann-'))).toHaveLength(ORGANIZATIONS);
    expect((await found('ben-0', { ...ann, email: 'ben@example.com' })).status).toBe(200);
    // Accounts that she makes found no more either, nor do those that they make.
    const [home = ''] = names.filter((name) => name.startsWith('ann-'));
    let maker = ann;
    for (const email of ['child@example.com', 'grandchild@example.com']) {
      const user = { email, password: PASSWORD };
      const made = await server.client.call(`/api/${home}/users`, {
        body: JSON.stringify({ ...user, role: 'admin' }),
        credentials: maker,
      });
      expect(made.status).toBe(200);
      expect((await found('of-child', user)).status).toBe(403);
      maker = user;
    }
    for (let n = 0; n < ORGANIZATIONS + 2; n += 1) {
      const body = '{"role":"admin"}';
      const answer = await server.client.call(`/api/customer-${n}/users/${ann.email}`, { body });
      expect(answer.status).toBe(200);
    }
  });

  it('is one share for all organizations of an account, and one each for those that root made', async () => {
    const upload = (organization: string, body = '{"a":1}'): Promise<Answer> =>
      as(`/api/${organization}/logs/_json`, body);
    const all = await server.client.call('/api/organizations', { credentials: ann });
    const [first = '', second = ''] = all
      .json<{ data: { name: string }[] }>()
      .data.map(({ name }) => name)
      .filter((name) => name.startsWith('ann-'));
    // Half a minute of the rate pays for this body.
    const large = `{"a":"${'x'.repeat(9990)}"}\n`.repeat(3000);
    expect((await upload(first, large)).status).toBe(200);
    expect((await upload(second)).status).toBe(429);
    expect((await upload('customer-0', large)).status).toBe(200);
    expect((await upload('customer-1')).status).toBe(200);
  });

  it('is so many streams, whatever makes them and however many at once; root has no such bound', async () => {
    const organization = 'customer-2';
    const answers = await Promise.all(
      Array.from({ length: STREAMS + 4 }, (_, n) =>
        as(`/api/${organization}/s${n}/_json`, '[{"a":1}]'),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(STREAMS);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(4);
    for (const answer of refused)
      expect(answer.json<{ message: string }>().message).toMatch(
        /more than the 4 that an organization may have \(MILLRACE_ORG_STREAMS\); nothing was stored/,
      );
    const kept = await streamsOf(organization);
    expect(kept).toHaveLength(STREAMS);
    // The streams that are there take more rows.
    expect((await as(`/api/${organization}/${kept[0]}/_json`, '{"b":2}')).status).toBe(200);
    const others: Answer[] = [
      await as(`/api/${organization}/csv/_csv`, 'a\n1\n'),
      await as(`/api/${organization}/wide/settings`, '{"columns":{"a":"Int64"}}'),
      await as(`/api/${organization}/large/_json`, '{"a":1}\n'.repeat(300_000)),
    ];
    expect(others.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await streamsOf(organization)).toEqual(kept);
    const byRoot = await server.client.call(`/api/${organization}/more/_json`, { body: '{"a":1}' });
    expect(byRoot.status).toBe(200);
    // A deleted one makes room.
    for (const name of ['more', kept[0] ?? '']) {
      const answer = await server.client.call(`/api/${organization}/${name}`, { method: 'DELETE' });
      expect(answer.status).toBe(200);
    }
    expect((await as(`/api/${organization}/again/_json`, '{"a":1}')).status).toBe(200);
  });

  it('refuses the items of a bulk request that would make one stream too many, and stores the others', async () => {
    const organization = 'customer-3';
    const action = (stream: string): string => `{"index":{"_index":"${stream}"}}\n{"a":1}\n`;
    const bulk = async (body: string, headers: Record<string, string> = {}) => {
      const answer = await server.client.call(`/api/${organization}/_bulk?wait=true`, {
        body,
        headers,
        credentials: ann,
      });
      expect(answer.status).toBe(200);
      const { errors, items } = answer.json<{
        errors: boolean;
        items: { index: { _index: string; status: number; error?: { reason: string } } }[];
      }>();
      return { errors, items: items.map(({ index }) => index) };
    };
    const names = Array.from({ length: STREAMS + 2 }, (_, n) => `s${n}`);
    const many = await bulk(names.map((name) => action(name).repeat(2)).join(''));
    const refused = many.items.filter(({ status }) => status === 403);
    expect([many.errors, many.items.length, refused.length]).toEqual([true, 12, 4]);
    for (const { error } of refused) expect(error?.reason).toMatch(/MILLRACE_ORG_STREAMS/);
    const kept = await streamsOf(organization);
    expect(kept).toHaveLength(STREAMS);
    for (const name of kept) {
      const body = `SELECT count() AS n FROM ${name}`;
      const rows = (await server.client.call(`/api/${organization}/sql`, { body })).json();
      expect(rows).toEqual([{ n: 2 }]);
    }
    // The same holds for a request alone, in a body that is not small, and again under a key.
    const alone = await bulk(action('alone'));
    expect(alone.items).toMatchObject([{ status: 403 }]);
    const body = action(kept[0] ?? '').repeat(5000) + action('alone').repeat(5000);
    const key = { 'idempotency-key': 'k1' };
    for (const headers of [key, key]) {
      const { items } = await bulk(body, headers);
      expect(items.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 5000 }, () => 201),
        ...Array.from({ length: 5000 }, () => 403),
      ]);
    }
    expect(await streamsOf(organization)).toEqual(kept);
  });

  it('keeps no answer under the key of a bulk request of which nothing was stored', async () => {
    const organization = 'customer-3';
    const bulk = async (): Promise<number[]> => {
      const answer = await server.client.call(`/api/${organization}/_bulk?wait=true`, {
        body: '{"index":{"_index":"later"}}\n{"a":1}\n',
        headers: { 'idempotency-key': 'of nothing' },
        credentials: ann,
      });
      const { items } = answer.json<{ items: { index: { status: number } }[] }>();
      return items.map(({ index }) => index.status);
    };
    expect(await bulk()).toEqual([403]);
    const [one = ''] = await streamsOf(organization);
    const path = `/api/${organization}/streams/${one}`;
    const removed = await server.client.call(path, { method: 'DELETE', credentials: ann });
    expect(removed.status).toBe(200);
    for (let times = 0; times < 2; times += 1) expect(await bulk()).toEqual([201]);
    const body = 'SELECT count() AS n FROM later';
    const rows = (await server.client.call(`/api/${organization}/sql`, { body })).json();
    expect(rows).toEqual([{ n: 1 }]);
  });
});
