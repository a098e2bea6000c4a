import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../.cache/campaign-npm');
const FETCH_MS = 120_000;

/**
 * Brings packages for the files in them, once for each version; nothing of them is installed or run.
 * @param packages as `name@version`
 * @returns the folder that has each of them; undefined where one cannot be had
 */
export function npmPackages(packages: readonly string[]): string | undefined {
  try {
    for (const each of packages) {
      const folder = join(FOLDER, each.replace(/[@/]/g, '-'));
      if (existsSync(join(folder, 'whole'))) continue;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const pack = ['pack', '--silent', '--pack-destination', folder, each];
      execFileSync('npm', pack, { stdio: 'ignore', timeout: FETCH_MS });
      const [archive = ''] = readdirSync(folder);
      execFileSync('tar', ['-C', folder, '-xzf', join(folder, archive)]);
      // The last step makes this folder, so a fetch that was cut short does not count as done.
      mkdirSync(join(folder, 'whole'));
    }
    return FOLDER;
  } catch {
    return undefined;
  }
}
