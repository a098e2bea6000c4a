// Keeps the data directory of this version for those to come, which are tested to open it:
//   node --import ./test/doubles/typescript.mjs test/server/make-release-data.ts
// Once a release. What is there is not made again: nobody's data gets newer by itself.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from '../../bin/prepare.mjs';
import { askLaterHistory, makeLaterHistory } from './later-history.js';
import { askHistory, makeHistory } from './release-history.js';
import { startServer } from './start-server.js';

const root = join(import.meta.dirname, '../..');
const manifest = readFileSync(join(root, 'package.json'), 'utf8');
const { version } = JSON.parse(manifest) as { readonly version: string };
const releases = join(root, 'test/fixtures/releases');
const archive = join(releases, `${version}.tar.gz`);
if (existsSync(archive)) throw new Error(`${archive} is there already`);

await prepare();
const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
try {
  const dataDirectory = join(folder, 'data');
  const first = await startServer({ dataDirectory });
  let token: string;
  try {
    token = await makeHistory(first.client);
    await makeLaterHistory(first.client);
  } finally {
    await first.stop();
  }
  // A second process sees the server as it is after a restart, without what only the first one
  // knew.
  const second = await startServer({ dataDirectory });
  let answers: unknown;
  let later: unknown;
  try {
    answers = await askHistory(second.client, token);
    later = await askLaterHistory(second.client);
  } catch (error) {
    await second.stop();
    throw error;
  }
  // This one is acknowledged, and perhaps still on the queue when the server is killed.
  await second.client.call('/api/default/late/_json', { body: '[{"a":1}]' });
  await second.kill();
  writeFileSync(
    join(folder, 'answers.json'),
    `${JSON.stringify({ version, token, answers, later }, undefined, 1)}\n`,
  );
  mkdirSync(releases, { recursive: true });
  const names = ['--exclude=data/spool', '--exclude=data/*.sock', 'data', 'answers.json'];
  execFileSync('tar', [
    '--owner=0',
    '--group=0',
    '--sparse',
    '-C',
    folder,
    '-czf',
    archive,
    ...names,
  ]);
  console.log(`made ${archive}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
