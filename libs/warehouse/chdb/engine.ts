import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { drainPending, Session } from 'chdb';
import { keepingCrashSignals } from '../child/crash-signals.mjs';
import { openHearing } from './heard-reason.js';
import { writeEngineFiles } from '../child/engine-configuration.js';
import { sessionPool, type SessionPool } from './sessions/session-pool.js';

/** ClickHouse's engine in this process, on a data directory, for tables over files and servers. */
export class Engine {
  readonly path: string;
  /** Carries the engine's configuration. Later sessions use the same engine. */
  private readonly first: Session;
  private readonly pools: SessionPool[] = [];

  /**
   * @param directory absolute; only one process uses it at a time
   * @throws when another process uses it
   */
  constructor(directory: string) {
    this.path = join(directory, 'store');
    mkdirSync(this.path, { recursive: true });
    this.first = openFirst(this.path, writeEngineFiles(join(directory, 'config'), 'sources'));
  }

  /** Opens up to `size` sessions with these settings, closed with the engine. */
  sessions(settings: readonly string[], size: number): SessionPool {
    const pool = sessionPool(() => new Session(this.path, { connectionArgs: settings }), size);
    this.pools.push(pool);
    return pool;
  }

  /** @param before closes the other users of the engine. */
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
