import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../bin/prepare.mjs';

const MIB = 1024 * 1024;
/** Has the engine allocate and free over 100 MiB, and tells by how much its resident memory has grown. */
const WORK = `
  import { Session } from 'chdb';
  const session = new Session(process.argv[1]);
  await session.queryAsync('SELECT uniqExact(number) FROM numbers(1000)');
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 4; round += 1)
    await session.queryAsync('SELECT uniqExact(number) FROM numbers(1000000) SETTINGS max_threads = 1');
  console.log(process.memoryUsage.rss() - before);
  session.close();
`;

function keptBytes(decayMs: number): number {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-allocator-'));
  const options = Object.entries(environment()).find(([, value]) => value?.includes('dirty_decay'));
  const [name = '', value = ''] = options ?? [];
  try {
    const printed = execFileSync(
      process.execPath,
      ['--input-type=module', '-e', WORK, join(directory, 'store')],
      {
        cwd: join(import.meta.dirname, '../..'),
        env: {
          ...process.env,
          [name]: value.replace(/dirty_decay_ms:\d+/, `dirty_decay_ms:${decayMs}`),
        },
        encoding: 'utf8',
      },
    );
    return Number(printed);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe('the options of the allocator that the launcher sets', () => {
  it('reach the engine: free memory is given back when they say so', () => {
    const never = keptBytes(-1);
    const atOnce = keptBytes(0);
    expect(never).toBeGreaterThan(64 * MIB);
    expect(atOnce).toBeLessThan(never / 2);
  }, 120_000);
});
