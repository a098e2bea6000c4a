import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from '../server/client.js';
import { ROOT, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';
import { nodesUnderTest } from './two-nodes.js';

const PASSWORD = 'Secret-77';
const OTHER_PASSWORD = 'Other-Secret-88';
/**
 * A change at another node must show within a second. The test looks so often. A busy machine has as
 * many looks, though each takes longer.
 */
const SOON = { looks: 20, everyMs: 50 };
const TIMEOUT_MS = 120_000;

describe('two nodes', () => {
  const { nodes, a, b } = nodesUnderTest();

  const person = (name: string, password = PASSWORD) => ({
    email: `${name}@example.com`,
    password,
  });
  const json = (server: Server, path: string, body: object, more: Call = {}): Promise<Answer> =>
    server.client.call(path, {
      method: 'POST',
      body: JSON.stringify(body),
      ...more,
      headers: { 'content-type': 'application/json', ...more.headers },
    });
  const add = async (server: Server, name: string, role = 'editor'): Promise<void> => {
    const body = { ...person(name), first_name: `First ${name}`, last_name: 'X', role };
    const answer = await json(server, '/api/default/users', body);
    expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
  };
  const status = async (server: Server, name: string, password = PASSWORD): Promise<number> =>
    (await server.client.call('/api/default/streams', { credentials: person(name, password) }))
      .status;
  /** Waits no longer than the second that is promised. */
  const soon = async (isSo: () => Promise<boolean>): Promise<void> => {
    for (let look = 0; !(await isSo()); look += 1) {
      if (look === SOON.looks) throw new Error(`not so at look ${look}: ${String(isSo)}`);
      await sleep(SOON.everyMs);
    }
  };

  it('start at once on empty stores, and have one root', async () => {
    for (const server of [a, b])
      expect((await server.client.call('/api/default/users')).status).toBe(200);
    const answer = await a.client.call('/api/default/users');
    expect(answer.json<{ data: unknown[] }>().data).toHaveLength(1);
  });

  it(
    'see people that were made, changed and removed at the other',
    async () => {
      await add(a, 'ann');
      expect(await status(a, 'ann')).toBe(200);
      await soon(async () => (await status(b, 'ann')) === 200);
      const listed = (await b.client.call('/api/default/users')).json<{
        data: { email: string; first_name: string }[];
      }>();
      expect(listed.data).toContainEqual(
        expect.objectContaining({ email: 'ann@example.com', first_name: 'First ann' }),
      );

      const changed = await json(
        b,
        '/api/default/users/ann@example.com',
        { old_password: PASSWORD, new_password: OTHER_PASSWORD },
        { method: 'PUT', credentials: person('ann') },
      );
      expect(changed.status).toBe(200);
      expect(await status(b, 'ann')).toBe(401);
      await soon(async () => (await status(a, 'ann', OTHER_PASSWORD)) === 200);
      expect(await status(a, 'ann')).toBe(401);

      await a.client.call('/api/default/users/ann@example.com', { method: 'DELETE' });
      await soon(async () => (await status(b, 'ann', OTHER_PASSWORD)) === 401);
    },
    TIMEOUT_MS,
  );

  it(
    'see who belongs where, and with which role',
    async () => {
      await add(a, 'ben', 'viewer');
      await json(a, '/api/acme/users/ben@example.com', { role: 'admin' });
      const organizations = async (): Promise<string[]> =>
        (await b.client.call('/api/organizations', { credentials: person('ben') }))
          .json<{ data: { name: string; role: string }[] }>()
          .data.map(({ name, role }) => `${name} ${role}`);
      await soon(async () => (await status(b, 'ben')) === 200);
      await soon(async () => (await organizations()).join() === 'acme admin,default viewer');
      const upload = { body: '[{"n":1}]', credentials: person('ben') };
      expect((await b.client.call('/api/default/things/_json', upload)).status).toBe(403);
      expect((await b.client.call('/api/acme/things/_json', upload)).status).toBe(200);
      await json(b, '/api/default/users/ben@example.com', { role: 'editor' }, { method: 'PUT' });
      await soon(
        async () => (await a.client.call('/api/default/things/_json', upload)).status === 200,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'let nobody in with a passcode that was replaced at the other',
    async () => {
      const passcode = async (server: Server, method: string): Promise<string> =>
        (await server.client.call('/api/default/passcode', { method })).json<{
          data: { passcode: string };
        }>().data.passcode;
      const before = await passcode(a, 'GET');
      const uses = async (server: Server, secret: string): Promise<number> =>
        (
          await server.client.call('/api/default/sql', {
            body: 'SELECT 1 AS one',
            credentials: { email: ROOT.email, password: secret },
          })
        ).status;
      expect(await uses(b, before)).toBe(200);
      const after = await passcode(a, 'PUT');
      expect(await uses(a, before)).toBe(401);
      await soon(async () => (await uses(b, before)) === 401);
      expect(await uses(b, after)).toBe(200);
      expect(await passcode(b, 'GET')).toBe(after);
    },
    TIMEOUT_MS,
  );

  it(
    'let in whom the other has given a token, and nobody by one that it has revoked',
    async () => {
      const wanted = { name: 'both', role: 'viewer' };
      const made = await json(a, '/api/default/tokens', wanted);
      const { token } = made.json<{ data: { token: string } }>().data;
      const uses = async (server: Server): Promise<number> =>
        (
          await server.client.call('/api/default/sql', {
            body: 'SELECT 1 AS one',
            credentials: 'none',
            headers: { authorization: `Bearer ${token}` },
          })
        ).status;
      expect(await uses(a)).toBe(200);
      await soon(async () => (await uses(b)) === 200);
      const revoked = await b.client.call('/api/default/tokens/both', { method: 'DELETE' });
      expect([revoked.status, await uses(b)]).toEqual([200, 401]);
      await soon(async () => (await uses(a)) === 401);
    },
    TIMEOUT_MS,
  );

  it(
    'see streams, columns, settings and deletions of the other',
    async () => {
      const described = async (server: Server) => server.client.call('/api/default/shop/schema');
      await a.client.upload('shop', [{ item: 'tea', price: 3 }]);
      await soon(async () => (await described(b)).status === 200);
      expect(await b.client.sql('SELECT item, price FROM shop')).toEqual([
        { item: 'tea', price: 3 },
      ]);
      await b.client.upload('shop', [{ item: 'pot', size: 'big' }]);
      await soon(async () => (await described(a)).bytes.includes('"size"'));
      expect(await a.client.sql('SELECT item, size FROM shop ORDER BY item')).toEqual([
        { item: 'pot', size: 'big' },
        { item: 'tea', size: null },
      ]);
      const saved = await json(
        a,
        '/api/default/streams/shop/settings',
        { data_retention: 30 },
        { method: 'PUT' },
      );
      expect(saved.status).toBe(200);
      await soon(async () => (await described(b)).bytes.includes('"data_retention":30'));
      expect((await b.client.call('/api/default/streams/shop', { method: 'DELETE' })).status).toBe(
        200,
      );
      expect((await described(b)).status).toBe(404);
      await soon(async () => (await described(a)).status === 404);
      // The name is free, and has no rows, at both nodes.
      await a.client.upload('shop', [{ item: 1 }]);
      expect(await a.client.sql('SELECT item FROM shop')).toEqual([{ item: 1 }]);
      await soon(async () => (await described(b)).status === 200);
      expect(await b.client.sql('SELECT * EXCEPT _timestamp FROM shop')).toEqual([{ item: 1 }]);
    },
    TIMEOUT_MS,
  );

  it(
    'store an upload once that both get under one Idempotency-Key',
    async () => {
      const body = JSON.stringify([{ n: 1 }, { n: 2 }]);
      const headers = { 'idempotency-key': 'once' };
      const answers = await Promise.all(
        [a, b].map((server) =>
          server.client.call('/api/default/once/_json?wait=true', { body, headers }),
        ),
      );
      expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
      expect(await a.client.count('once')).toBe(2);
      const again = await b.client.call('/api/default/once/_json?wait=true', { body, headers });
      expect(again.json()).toEqual(answers[0]?.json());
      expect(await b.client.count('once')).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'have one audit trail, in which each event is once, whichever node carried it out',
    async () => {
      await Promise.all(
        [a, b].flatMap((server, node) =>
          Array.from({ length: 5 }, async (_, n) => {
            const body = {
              ...person(`p${node}${n}`),
              first_name: 'P',
              last_name: 'Q',
              role: 'viewer',
            };
            expect((await json(server, '/api/default/users', body)).status).toBe(200);
          }),
        ),
      );
      const [twice] = await a.client.sql<{ n: number; rows: number }>(
        'SELECT count() AS rows, rows - uniqExact(position) AS n FROM _audit',
      );
      expect(twice?.n).toBe(0);
      expect(twice?.rows).toBeGreaterThan(20);
      const chained = await b.client.sql<{ n: number }>(
        'SELECT count() AS n FROM _audit WHERE previous_hash NOT IN (SELECT hash FROM _audit)',
      );
      // The first row follows nothing.
      expect(chained).toEqual([{ n: 1 }]);
      const names = await a.client.sql<{ n: number }>(
        "SELECT uniqExact(subject) AS n FROM _audit WHERE type = 'UserRegistered' AND subject LIKE 'p%'",
      );
      expect(names).toEqual([{ n: 10 }]);
    },
    TIMEOUT_MS,
  );

  it(
    'forget a person everywhere who is erased at one',
    async () => {
      await add(a, 'cleo');
      await soon(async () => (await status(b, 'cleo')) === 200);
      const erased = await b.client.call('/api/default/users/cleo@example.com?erase=true', {
        method: 'DELETE',
      });
      expect(erased.status).toBe(200);
      const tells = async (server: Server): Promise<boolean> => {
        const told = [
          (await server.client.call('/api/default/users')).bytes,
          (await server.client.call('/api/default/audit?size=1000')).bytes,
          JSON.stringify(await server.client.sql('SELECT * FROM _audit')),
        ];
        return told.some((text) => text.includes('cleo'));
      };
      expect(await tells(b)).toBe(false);
      await soon(async () => !(await tells(a)));
    },
    TIMEOUT_MS,
  );

  it(
    'go on when the one that carries events out is paused or killed',
    async () => {
      // The node that was started last leads; which of the two it is does not matter.
      for (const [stopped, other] of [
        [a, b],
        [b, a],
      ] as const) {
        stopped.process.kill('SIGSTOP');
        await add(other, `late${stopped === a ? 'a' : 'b'}`);
        stopped.process.kill('SIGCONT');
        await until(
          async () => (await status(stopped, `late${stopped === a ? 'a' : 'b'}`)) === 200,
        );
      }
      await b.kill();
      await add(a, 'last');
      await a.client.upload('after', [{ n: 1 }]);
      await nodes().startNode(1);
      expect(await status(b, 'last')).toBe(200);
      expect(await b.client.count('after')).toBe(1);
      const [twice] = await b.client.sql<{ n: number }>(
        'SELECT count() - uniqExact(position) AS n FROM _audit',
      );
      expect(twice).toEqual({ n: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'refuse a node with another secret key',
    async () => {
      await b.kill();
      const refused: unknown = await nodes()
        .startNode(1, {
          MILLRACE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
          MILLRACE_DATA_DIR: `${nodes().dataDirectory(1)}-other`,
        })
        .catch((error: unknown) => error);
      expect(String(refused)).toMatch(/MILLRACE_SECRET_KEY is not the key that the events/);
      await nodes().startNode(1);
    },
    TIMEOUT_MS,
  );
});
