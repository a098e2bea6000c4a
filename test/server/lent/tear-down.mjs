// After the last suite: no server is left.
import { once } from 'node:events';
import { rmSync } from 'node:fs';

export default async function tearDown() {
  const { keeper, folder } = globalThis.lentServers;
  const gone = once(keeper, 'exit');
  keeper.stdin.end();
  await gone;
  rmSync(folder, { recursive: true, force: true });
}
