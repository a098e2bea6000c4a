import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TwoNodes } from '../distributed/two-nodes.js';
import { buildRelease } from '../server/build-release.js';
import type { Answer, Call } from '../server/client.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';

// A build, a Kafka and two servers on two cores.
const START_MS = 600_000;
const TIMEOUT_MS = 240_000;
/** The last one whose events have no MACs. */
const OLDER = '0.2.0';
const ANN = { email: 'ann@example.com', password: 'Secret-77' };

describe('a cluster of 0.2.0 that becomes one of this version', () => {
  let folder: string;
  let nodes: TwoNodes;
  let token: string;
  const each = (): readonly [Server, Server] => [nodes.node(0), nodes.node(1)];
  const ask = async (server: Server, path: string, call: Call = {}): Promise<Answer> => {
    const answer = await server.client.call(`/api/default/${path}`, call);
    expect([path, answer.status, answer.bytes.toString()]).toEqual([path, 200, expect.any(String)]);
    return answer;
  };
  const letsIn = async (server: Server, call: Call): Promise<boolean> =>
    (await server.client.call('/api/default/streams', call)).status === 200;
  const run = (command: string): Promise<Ended> => {
    const variables = { ...nodes.variables(), MILLRACE_DATA_DIR: join(folder, 'commands') };
    return runOperator([command], { home: folder, variables });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-upgrade-'));
    const older = buildRelease(OLDER, join(folder, 'release'));
    nodes = await TwoNodes.start([older, older]);
  }, START_MS);
  afterAll(async () => {
    await nodes.dispose();
    rmSync(folder, { recursive: true, force: true });
  }, TIMEOUT_MS);

  it(
    'does not let this version in beside it: what the older one wrote would count for nothing',
    async () => {
      const [older] = each();
      const profile = { first_name: 'A', last_name: 'B', role: 'admin' };
      await ask(older, 'users', { body: JSON.stringify({ ...ANN, ...profile }) });
      const made = await ask(older, 'tokens', {
        body: JSON.stringify({ name: 't', role: 'editor' }),
      });
      ({ token } = made.json<{ data: { token: string } }>().data);
      for (const server of each()) await server.client.upload('logs', [{ n: 1 }]);
      await expect(
        startServer({ dataDirectory: join(folder, 'beside'), variables: nodes.variables() }),
      ).rejects.toThrow('millrace seal-events');
      expect(await older.client.count('logs')).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'is not sealed as long as one of its processes runs: what that one is told would be lost',
    async () => {
      const [older, last] = each();
      for (const running of [older, last]) {
        const refused = await run('seal-events');
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringMatching(/still run .* and nothing was sealed: stop every one of them/),
        ]);
        await ask(running, 'passcode', { method: 'PUT' });
        await running.client.upload('logs', [{ n: 1 }]);
        await running.stop();
      }
    },
    TIMEOUT_MS,
  );

  it(
    'goes on with all that it had, once it was stopped and its events were sealed',
    async () => {
      for (let times = 0; times < 2; times += 1) {
        const sealed = await run('seal-events');
        expect([sealed.code, sealed.stdout]).toEqual([
          0,
          expect.stringContaining('the events are sealed'),
        ]);
      }
      await Promise.all([nodes.startNode(0), nodes.startNode(1)]);
      for (const server of each()) {
        expect(await letsIn(server, { credentials: ANN })).toBe(true);
        const headers = { authorization: `Bearer ${token}` };
        expect(await letsIn(server, { credentials: 'none', headers })).toBe(true);
        await server.client.upload('logs', [{ n: 2, more: 'x' }]);
      }
      for (const server of each()) expect(await server.client.count('logs')).toBe(6);
      // An operator who starts the older release again is told at once that its events would not
      // count.
      await expect(
        startServer({
          dataDirectory: join(folder, 'again'),
          variables: nodes.variables(),
          main: join(folder, 'release/dist/apps/api/main.js'),
        }),
      ).rejects.toThrow(/Millrace cannot start: .* is not iterable/);
      const verified = await run('audit:verify');
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(/default: \d+ entries, intact/),
      ]);
    },
    TIMEOUT_MS,
  );
});
