import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { boundedReason } from '../opening-refused.js';
import type { QueryLimits } from '../warehouse.js';
import { GIVE_BACK, hasEnded, outcome, readWalls, type Walls } from '../child/engine-child.js';
import { ask, freePort } from './ask-engine.js';
import type { EngineUsers } from './engine-users.js';
import { writeEngineFiles, type EngineBackups } from './server-configuration.js';
import { EngineStartError } from './start-error.js';

interface LaunchOptions {
  readonly directory: string;
  /** The folder with the tables. */
  readonly store: string;
  readonly handed: string;
  readonly memoryBytes: number;
  readonly limits: QueryLimits;
  readonly backups?: EngineBackups | undefined;
}

/** An engine that answers. */
export interface Launched {
  readonly child: ChildProcess;
  /** `http://host:port`. */
  readonly origin: string;
  /** The secret path of its address. */
  readonly path: string;
  readonly walls: Promise<Walls>;
  /** The engine's own words so far. */
  complaint(this: void): string;
}

const PROGRAM = fileURLToPath(new URL('./run-engine.mjs', import.meta.url));
/** If an engine has not answered within this time, its start has failed. */
const START_MS = 60_000;
const LOOK_MS = 20;

/**
 * Starts the engine's process, and waits until it answers.
 * @param onSpawned gets the process at once
 * @throws {EngineStartError} when it ends before
 */
export async function launchEngine(
  options: LaunchOptions,
  users: EngineUsers,
  onSpawned: (child: ChildProcess) => void,
): Promise<Launched> {
  const port = await freePort();
  const path = `/${randomBytes(24).toString('base64url')}`;
  const { directory, memoryBytes, limits, backups } = options;
  const files = join(directory, `starting-${process.pid}`);
  const config = writeEngineFiles(files, users, { port, path, memoryBytes, limits, backups });
  const child = spawnEngine(config, options);
  onSpawned(child);
  const origin = `http://127.0.0.1:${port}`;
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    said = boundedReason(`${said}${bytes.toString()}`);
  });
  const complaint = (): string => said.trim();
  // If the child has ended, a write to it fails. Its end is handled elsewhere.
  child.stdin?.on('error', () => undefined);
  const walls = readWalls(child);
  const begun = performance.now();
  while ((await ask(`${origin}${path}`, users.admin, 'SELECT 1')) !== '1') {
    if (hasEnded(child))
      throw new EngineStartError(complaint() || outcome(child), child.signalCode);
    if (performance.now() - begun > START_MS) {
      child.kill('SIGKILL');
      throw new Error('the engine has not answered within a minute');
    }
    await delay(LOOK_MS);
  }
  // The engine has read the file, and will not read it again.
  rmSync(files, { recursive: true, force: true });
  return { child, origin, path, walls, complaint };
}

function spawnEngine(config: string, { store, handed, backups }: LaunchOptions): ChildProcess {
  const given = { config, data: store, handed, backups, parent: process.pid };
  return spawn(process.execPath, [PROGRAM, JSON.stringify(given)], {
    // The child gets a process group of its own, so that signals of a terminal reach only us.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    // The child gets none of our other variables.
    env: { TZ: 'UTC', JE_MALLOC_CONF: GIVE_BACK },
  });
}
