import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FETCH_MS = 300_000;

/**
 * Brings the packages of a list, once for these versions.
 * @param list file beside this one
 * @returns the folder of a virtual environment; undefined where they cannot be had
 */
export function pythonPackages(list: string): string | undefined {
  const requirements = join(import.meta.dirname, list);
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(import.meta.dirname, `../../.cache/campaign-python-${hash}`);
  if (existsSync(join(folder, 'whole'))) return folder;
  const run = (command: string, ...args: string[]): void =>
    void execFileSync(command, args, { stdio: 'ignore', timeout: FETCH_MS });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile'];
  try {
    rmSync(folder, { recursive: true, force: true });
    run('python3', '-m', 'venv', folder);
    run(join(folder, 'bin/python'), ...pip, '--only-binary', ':all:', '--no-deps', '-r', requirements); // prettier-ignore
    // The last step makes this folder, so a fetch that was cut short does not count as done.
    mkdirSync(join(folder, 'whole'));
    return folder;
  } catch {
    return undefined;
  }
}
