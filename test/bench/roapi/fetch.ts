import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const VERSIONS = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
/** Other versions go to another folder. */
const FOLDER = join(import.meta.dirname, `../../../.cache/roapi-${VERSIONS.slice(0, 12)}`);
const WITHIN_MS = 240_000;

export interface Programs {
  readonly roapi: string;
  readonly tpchgen: string;
}

/** ROAPI and the generator of TPC-H's tables, from PyPI, once. @returns why they cannot be had, as text */
export async function fetchPrograms(): Promise<Programs | string> {
  const mark = join(FOLDER, 'whole');
  const programs = {
    roapi: join(FOLDER, 'bin/roapi'),
    tpchgen: join(FOLDER, 'bin/tpchgen-cli'),
  };
  if (existsSync(mark)) return programs;
  const run = promisify(execFile);
  try {
    rmSync(FOLDER, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', FOLDER]);
    const quiet = ['--quiet', '--no-compile', '--disable-pip-version-check'];
    const packages = ['--only-binary', ':all:', '--no-deps', '-r', REQUIREMENTS];
    await run(join(FOLDER, 'bin/python'), ['-m', 'pip', 'install', ...quiet, ...packages], {
      timeout: WITHIN_MS,
    });
    // This fails where the program was not built for this system and processor.
    await run(programs.roapi, ['--version']);
    mkdirSync(mark);
    return programs;
  } catch (error) {
    return error instanceof Error ? error.message.slice(-1000) : String(error);
  }
}
