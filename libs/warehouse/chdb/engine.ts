import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { drainPending, Session } from 'chdb';
import type { LocalEngine } from '../warehouse.js';
import { keepingCrashSignals } from './crash-signals.js';
import { ChdbLocalEngine, EXTRACTION, STRICT_INPUT } from './chdb-local-engine.js';
import { openHearing } from './heard-reason.js';
import { writeEngineFiles, type EnginePurpose } from './engine-files.js';
import { sessionPool, type SessionPool } from './session-pool.js';

export interface EngineOptions {
  /** Absolute; one process has it at a time. */
  readonly directory: string;
  /** Acceptance statements that run at once; more wait. */
  readonly acceptors: number;
  readonly purpose?: EnginePurpose;
}

/** Tables that are read at once; more wait. */
const EXTRACTORS = 2;
const MAX_ACCEPT_MEMORY = 2 * 1024 ** 3;

/** ClickHouse's engine in this process, on a data directory. */
export class Engine {
  readonly path: string;
  readonly localEngine: LocalEngine;
  /** Carries the engine's configuration; later sessions join the engine that is then there. */
  private readonly first: Session;
  private readonly pools: SessionPool[] = [];

  /** @throws when another process has the directory. */
  constructor({ directory, acceptors, purpose = 'streams' }: EngineOptions) {
    this.path = join(directory, 'store');
    mkdirSync(this.path, { recursive: true });
    this.first = openFirst(this.path, writeEngineFiles(join(directory, 'config'), purpose));
    const accepting = [...STRICT_INPUT, `--max_memory_usage=${MAX_ACCEPT_MEMORY}`];
    const extracting = [...accepting, ...EXTRACTION];
    this.localEngine = new ChdbLocalEngine(
      this.sessions(accepting, acceptors),
      this.sessions(extracting, EXTRACTORS),
    );
  }

  /** Up to `size` sessions with these settings, closed with the engine. */
  sessions(settings: readonly string[], size: number): SessionPool {
    const pool = sessionPool(() => new Session(this.path, { connectionArgs: settings }), size);
    this.pools.push(pool);
    return pool;
  }

  /** @param before closes what else is on the engine. */
  async close(before: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for (const pool of this.pools) for (const session of pool.all()) session.close();
    await before();
    this.first.close();
    // A query whose client left may still run: its connection goes when it ends, and the engine with
    // the last one. At exit its teardown can deadlock with its own background threads.
    await drainPending();
  }
}

function openFirst(path: string, config: string): Session {
  const engine = (): Session => new Session(path, { connectionArgs: [`--config-file=${config}`] });
  return openHearing(path, `${path}.opening`, () => keepingCrashSignals(engine));
}
