import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const TIMEOUT_MS = 400_000;
const root = join(import.meta.dirname, '../..');
const LOADER = join(root, 'test/doubles/typescript.mjs');
const MAIN = join(import.meta.dirname, 'slow-network/main.ts');
/** Of all parts together, in a network namespace that ends with the program. What finds no room in the queue is lost. */
const NETWORK = `ip link set lo mtu 1500 up &&
  tc qdisc add dev lo root tbf rate 40mbit burst 4kb limit 16kb &&
  "$0" --import "$1" "$2" && tc -s qdisc show dev lo`;

describe('a cluster on a network that is slow and loses packets, between all parts at once', () => {
  it(
    'stores what is sent again under its key once, and answers',
    async () => {
      const { stdout } = await promisify(execFile)(
        'unshare',
        ['--net', 'sh', '-c', NETWORK, process.execPath, LOADER, MAIN],
        { cwd: root, maxBuffer: 16 * 1024 * 1024 },
      );
      const outcome = JSON.parse(/^\{"stored".*$/m.exec(stdout)?.[0] ?? '{}') as {
        stored: unknown;
        rows: number;
        answered: number;
      };
      const lost = Number(/dropped (\d+)/.exec(stdout)?.[1]);
      console.log(`${lost} packets lost; ${JSON.stringify(outcome)}`);
      expect(lost).toBeGreaterThan(50);
      expect(outcome.stored).toEqual({ rows: outcome.rows, different: outcome.rows });
      expect(outcome.answered).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
