import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const TIMEOUT_MS = 400_000;
const root = join(import.meta.dirname, '../..');
const LOADER = join(root, 'test/doubles/typescript.mjs');
const MAIN = join(import.meta.dirname, 'slow-network/main.ts');
/** The program runs in a network namespace that ends with it. */
const ALONE = 'ip link set lo mtu 1500 up && exec "$0" --import "$1" "$2"';

describe('a cluster on a network that is slow and loses packets, between all parts at once', () => {
  it(
    'stores what is sent again under its key once, and answers',
    async () => {
      const { stdout } = await promisify(execFile)(
        'unshare',
        ['--net', 'sh', '-c', ALONE, process.execPath, LOADER, MAIN],
        { cwd: root, maxBuffer: 16 * 1024 * 1024 },
      );
      const outcome = JSON.parse(/^\{"lost".*$/m.exec(stdout)?.[0] ?? '{}') as {
        lost: number;
        stored: unknown;
        rows: number;
        answered: number;
      };
      console.log(JSON.stringify(outcome));
      expect(outcome.lost).toBeGreaterThan(50);
      expect(outcome.stored).toEqual({ rows: outcome.rows, different: outcome.rows });
      expect(outcome.answered).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
