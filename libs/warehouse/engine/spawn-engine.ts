import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { GIVE_BACK } from '../child/engine-child.js';
import type { EngineBackups } from './server-configuration.js';

interface EngineStart {
  /** The file with its settings. */
  readonly config: string;
  /** Its own folder. */
  readonly data: string;
  /** It may read the files here. */
  readonly handed: string;
  readonly backups?: EngineBackups | undefined;
  /** Whether it starts without the tables of organizations: see `table-marks.mjs`. */
  readonly areTablesLate: boolean;
}

const PROGRAM = fileURLToPath(new URL('./run-engine.mjs', import.meta.url));

export function spawnEngine(start: EngineStart): ChildProcess {
  const given = { ...start, parent: process.pid };
  return spawn(process.execPath, [PROGRAM, JSON.stringify(given)], {
    // A group of its own: what a terminal sends to us is not for it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Other variables of ours are nobody's business there.
    env: { TZ: 'UTC', JE_MALLOC_CONF: GIVE_BACK },
  });
}
