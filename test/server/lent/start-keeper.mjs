import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Starts what lends servers (keeper.mjs), which has none yet. */
export async function startKeeper() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lent-'));
  const socket = join(folder, 'keeper');
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.mjs'), socket], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(keeper, 'exit');
  await Promise.race([
    once(keeper.stdout, 'data'),
    gone.then(([code]) => {
      throw new Error(`the keeper of lent servers ended with code ${code} before it listened`);
    }),
  ]);
  return {
    socket,
    stop: async () => {
      keeper.stdin.end();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
