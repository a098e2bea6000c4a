import { ROOT } from '../server/start-server.js';
import { basic, TailReader } from '../server/tail-reader.js';
import { until } from '../server/until.js';
import { nodesUnderTest } from './two-nodes.js';

const TIMEOUT_MS = 240_000;
const BATCHES = 40;

describe('a tail on two nodes', () => {
  const under = nodesUnderTest();

  it(
    'shows each row once, whichever node stores it, and goes on at the other node',
    async () => {
      const { a, b } = under;
      const nodes = [a, b];
      await a.client.upload('logs', [{ n: -1 }]);
      const reader = new TailReader('/api/default/logs/_tail', basic(ROOT.email, ROOT.password));
      // A node that did not write the first row may begin just before it.
      const shown = (): number[] => {
        const all = reader.rows<{ n: number }>().map(({ n }) => n);
        return all[0] === -1 ? all.slice(1) : all;
      };
      // The stream shows at the other node when its event has come there.
      await until(async () => (await reader.connect(b.url)).status === 200);
      await until(() => Promise.resolve(reader.lastEventId !== ''));
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const rows = [0, 1, 2].map((row) => ({ n: 3 * batch + row }));
        const answer = await nodes[batch % 2]?.client.call('/api/default/logs/_json', {
          body: JSON.stringify(rows),
        });
        expect(answer?.status).toBe(200);
        if (batch % 10 !== 9) continue;
        await until(() => Promise.resolve(shown().length > 3 * (batch - 5)));
        reader.leave();
        await reader.closed;
        expect((await reader.connect((batch % 20 === 9 ? a : b).url)).status).toBe(200);
      }
      await until(() => Promise.resolve(shown().length >= 3 * BATCHES));
      await a.client.upload('logs', [{ n: 3 * BATCHES }]);
      await until(() => Promise.resolve(shown().includes(3 * BATCHES)));
      reader.leave();
      expect(shown()).toEqual(Array.from({ length: 3 * BATCHES + 1 }, (_, n) => n));
    },
    TIMEOUT_MS,
  );
});
