import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from 'chdb';
import { readSettings } from '../sql/read-settings.js';
import type { QueryLimits } from '../warehouse.js';
import { ChdbReader } from './chdb-reader.js';
import type { Engine } from './engine.js';
import { Pool } from './pool.js';
import { ReadingThread } from './reading-thread.js';
import { RunningQueries } from './running-queries.js';
import { SmallAnswers } from './small-answers.js';

export interface ReaderOptions {
  /** Absolute; results that are made before they are sent are kept in it. */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** Client queries that run at once; more wait. */
  readonly readers: number;
}

/** @param control a session that may end queries. */
export function openReader(
  engine: Engine,
  control: Session,
  { directory, limits, readers }: ReaderOptions,
): ChdbReader {
  const args = readOnly(limits);
  const smallArgs = readOnly({ ...limits, ...SmallAnswers.within(limits) });
  const results = join(directory, 'results');
  emptyDirectory(results);
  return new ChdbReader({
    sessions: engine.sessions([...args, '--output_format_json_array_of_rows=1'], readers),
    threads: new Pool(() => new ReadingThread(engine.path), readers),
    running: new RunningQueries(control),
    args,
    smallArgs,
    directory: results,
    timeoutSeconds: limits.timeoutSeconds,
  });
}

function readOnly(limits: QueryLimits): readonly string[] {
  return Object.entries(readSettings(limits)).map(([name, value]) => `--${name}=${value}`);
}

/** What a crash left there belongs to nobody. */
function emptyDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
}
