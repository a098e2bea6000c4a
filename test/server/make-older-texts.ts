// Keeps a data directory of 0.2.0 that has days, times and amounts as text, as its users sent them:
//   node --import ./test/doubles/typescript.mjs test/server/make-older-texts.ts
// It was run once. What is there is not made again: nobody's data gets newer by itself.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OLDER_TEXTS, OLDER_VISITS } from '../fixtures/older-visits.js';
import { buildRelease } from './build-release.js';
import { startServer } from './start-server.js';

if (existsSync(OLDER_TEXTS)) throw new Error(`${OLDER_TEXTS} is there already`);
const folder = mkdtempSync(join(tmpdir(), 'millrace-older-'));
try {
  const main = buildRelease('0.2.0', join(folder, 'release'));
  const dataDirectory = join(folder, 'data');
  const server = await startServer({ dataDirectory, main });
  try {
    await server.client.upload('visits', OLDER_VISITS);
  } finally {
    await server.stop();
  }
  const owner = ['--owner=0', '--group=0', '--sparse'];
  execFileSync('tar', [
    ...owner,
    '-C',
    folder,
    '-czf',
    OLDER_TEXTS,
    '--exclude=data/spool',
    'data',
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
