import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { nodesUnderTest } from './two-nodes.js';

const TIMEOUT_MS = 240_000;
const ANN = { email: 'ann@example.com', password: 'Secret-77' };

describe('the key of two nodes that share their stores', () => {
  const { nodes, a, b } = nodesUnderTest();

  it(
    'is changed once, with both stopped, and nothing is lost',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'millrace-key-'));
      const run = (...args: string[]): Promise<Ended> =>
        runOperator(args, {
          home: folder,
          variables: { ...nodes().variables(), MILLRACE_DATA_DIR: join(folder, 'data'), ...key },
        });
      let key: Record<string, string> = {};
      const person = { ...ANN, first_name: 'Ann', last_name: 'L', role: 'admin' };
      const made = await a.client.call('/api/default/users', { body: JSON.stringify(person) });
      expect(made.status).toBe(200);
      await a.client.upload('logs', [{ a: 1 }]);
      await Promise.all([a.stop(), b.stop()]);

      const next = randomBytes(32).toString('base64');
      const file = join(folder, 'next');
      writeFileSync(file, next);
      const changed = await run('change-key', '--new-key-file', file);
      expect([changed.code, changed.stdout]).toEqual([
        0,
        expect.stringMatching(/; the keys of 2 people/),
      ]);
      await expect(nodes().startNode(0)).rejects.toThrow(/from before it was changed/);
      key = { MILLRACE_SECRET_KEY: next };
      await Promise.all([nodes().startNode(0, key), nodes().startNode(1, key)]);
      for (const { client } of [a, b]) {
        const answer = await client.call('/api/default/streams', { credentials: ANN });
        expect(answer.status).toBe(200);
        expect((await client.call('/api/default/users')).bytes.toString()).toContain(ANN.email);
      }
      await b.client.upload('logs', [{ a: 2 }]);
      const verified = await run('audit:verify');
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/intact/)]);
      rmSync(folder, { recursive: true });
    },
    TIMEOUT_MS,
  );
});
