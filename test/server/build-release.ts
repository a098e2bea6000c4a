import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const RELEASES = 'test/fixtures/releases';
const ARCHIVE = '.tar.gz';
const BUILD_MS = 300_000;
const ARCHIVE_BYTES_MAX = 2 ** 30;

/**
 * Builds a release out of this repository's history, with the packages that are installed here.
 * @param folder absolute; empty
 * @returns the file of its API's program
 */
export function buildRelease(version: string, folder: string): string {
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-C', root, ...args], { maxBuffer: ARCHIVE_BYTES_MAX });
  // Its data directory was kept by the commit that made it.
  const kept = `${RELEASES}/${version}${ARCHIVE}`;
  const [commit = ''] = git('log', '--diff-filter=A', '--format=%H', '--', kept)
    .toString()
    .split('\n');
  if (commit === '') throw new Error(`the history that is here does not have release ${version}`);
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-C', folder, '-x'], { input: git('archive', commit) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['bin/build.mjs'], { cwd: folder, timeout: BUILD_MS });
  return join(folder, 'dist/apps/api/main.js');
}
