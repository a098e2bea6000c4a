// Before the first suite: what lends servers is there, and has none yet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lent-'));
  const socket = join(folder, 'keeper');
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'keeper.mjs'), socket], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(keeper.stdout, 'data');
  process.env.MILLRACE_LENT_SERVERS = socket;
  globalThis.lentServers = { keeper, folder };
}
