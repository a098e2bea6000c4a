import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TwoNodes } from '../distributed/two-nodes.js';
import { buildRelease, lastRelease } from '../server/build-release.js';
import type { Answer, Call } from '../server/client.js';
import { runMillrace } from '../server/run-millrace.js';
import type { Server } from '../server/start-server.js';
import { until } from '../server/until.js';

// A build, a Kafka and two servers on two cores.
const START_MS = 600_000;
const TIMEOUT_MS = 240_000;
const UPLOADS = 40;

describe('a node of the last release and one of this version, side by side', () => {
  let folder: string;
  let nodes: TwoNodes | undefined;
  const node = (index: 0 | 1): Server => {
    if (!nodes) throw new Error('they are not started');
    return nodes.node(index);
  };
  const each = (): readonly [Server, Server] => [node(0), node(1)];
  const ask = async (server: Server, path: string, call: Call = {}): Promise<Answer> => {
    const answer = await server.client.call(`/api/default/${path}`, call);
    expect([path, answer.status, answer.bytes.toString()]).toEqual([path, 200, expect.any(String)]);
    return answer;
  };
  const json = (body: object): Call => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const person = (name: string) => ({ email: `${name}@example.com`, password: 'Secret-77' });
  const letsIn = async (server: Server, call: Call): Promise<boolean> =>
    (await server.client.call('/api/default/streams', call)).status === 200;
  const rows = async (server: Server, stream: string): Promise<unknown> =>
    server.client.sql(`SELECT * EXCEPT (_timestamp) FROM ${stream} ORDER BY ALL`);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-versions-'));
    const older = buildRelease(lastRelease(), join(folder, 'release'));
    nodes = await TwoNodes.start(older);
    expect(node(0).process.spawnargs).toContain(older);
    expect(node(1).process.spawnargs).not.toContain(older);
  }, START_MS);
  afterAll(async () => {
    await nodes?.dispose();
    rmSync(folder, { recursive: true, force: true });
  }, TIMEOUT_MS);

  it(
    'know the people, tokens and passcodes of each other',
    async () => {
      for (const [index, server] of each().entries()) {
        const name = `made-at-${index}`;
        const profile = { first_name: 'A', last_name: 'B', role: 'admin' };
        await ask(server, 'users', json({ ...person(name), ...profile }));
        const made = await ask(server, 'tokens', json({ name, role: 'editor' }));
        const { token } = made.json<{ data: { token: string } }>().data;
        const { data } = (await ask(server, 'passcode', { method: 'PUT' })).json<{
          data: { passcode: string };
        }>();
        for (const other of each()) {
          await until(() => letsIn(other, { credentials: person(name) }));
          const headers = { authorization: `Bearer ${token}` };
          await until(() => letsIn(other, { credentials: 'none', headers }));
          const credentials = { ...person(name), password: data.passcode };
          await until(() => letsIn(other, { credentials }));
        }
      }
    },
    TIMEOUT_MS,
  );

  it(
    'take uploads to the same streams, with new fields and wider columns, each once',
    async () => {
      const upload = (server: Server, n: number): Promise<Answer> => {
        const value = n % 7 === 0 ? n / 2 : n;
        const records = [{ n, value, [`f${n % 11}`]: `${n}`, within: { [`k${n % 5}`]: n } }];
        const key = { 'idempotency-key': `upload-${n}` };
        return ask(server, 'shared/_json?wait=true', {
          body: JSON.stringify(records),
          headers: key,
        });
      };
      const all = Array.from({ length: UPLOADS }, (_, n) => n);
      await Promise.all(
        each().map(async (server, index) => {
          for (const n of all) if (n % 2 === index) await upload(server, n);
        }),
      );
      // The other one knows the name.
      for (const n of all) await upload(node(n % 2 === 0 ? 1 : 0), n);
      const [older, newer] = await Promise.all(each().map((server) => rows(server, 'shared')));
      expect(older).toEqual(newer);
      expect((newer as { n: number }[]).map(({ n }) => n).sort((a, b) => a - b)).toEqual(all);
    },
    TIMEOUT_MS,
  );

  it(
    'carry out what the other one changes: settings, deletions, and what only the newer one knows',
    async () => {
      for (const [index, server] of each().entries()) {
        const stream = `settled${index}`;
        await server.client.upload(stream, [{ a: 1, b: 'x' }]);
        await ask(server, `streams/${stream}/settings`, {
          method: 'PUT',
          body: '{"data_retention":30}',
        });
        for (const other of each())
          await until(async () => {
            const answer = await other.client.call(`/api/default/${stream}/schema`);
            return answer.bytes.toString().includes('"data_retention":30');
          });
        await ask(node(index === 0 ? 1 : 0), stream, { method: 'DELETE' });
        await until(
          async () => (await server.client.call(`/api/default/${stream}/schema`)).status === 404,
        );
      }
      await ask(node(1), 'rename', {
        ...json({ new_name: 'Renamed by the newer' }),
        method: 'PUT',
      });
      for (const server of each()) await server.client.upload('after', [{ a: 1 }]);
      expect(await node(0).client.count('after')).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'are rolled to this version without a failed request, and the audit trail verifies',
    async () => {
      let isRolled = false;
      const sent = (async () => {
        for (let n = 0; ; n += 1) {
          await node(1).client.upload('meanwhile', [{ n }]);
          if (isRolled) return n + 1;
        }
      })();
      await node(0).stop();
      await nodes?.startNode(0);
      isRolled = true;
      const count = await sent;
      for (const server of each()) {
        expect(await server.client.count('meanwhile')).toBe(count);
        expect(await server.client.count('shared')).toBe(UPLOADS);
      }
      const verified = await runMillrace(['audit:verify'], {
        home: folder,
        variables: { ...nodes?.variables(), MILLRACE_DATA_DIR: join(folder, 'verify') },
      });
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(/default: \d+ entries, intact/),
      ]);
    },
    TIMEOUT_MS,
  );
});
