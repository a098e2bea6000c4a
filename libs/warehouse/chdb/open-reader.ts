import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from 'chdb';
import { Pool } from '@app/flow';
import { readSettings, WHOLE_RESULT } from '../sql/read-settings.js';
import type { QueryLimits } from '../warehouse.js';
import { ChdbReader } from './chdb-reader.js';
import type { Engine } from './engine.js';
import { ReadingThread } from './reading-thread.js';
import { RunningQueries } from './running-queries.js';
import { SmallAnswers } from './small-answers.js';

interface ReaderOptions {
  /** An absolute path of the folder for results that are made before they are sent. */
  readonly directory: string;
  readonly limits: QueryLimits;
  /** Client queries that run at once; more wait. */
  readonly readers: number;
}

/** A file that is cut off while it is mapped into memory ends the process. */
export const FILE_READING = { storage_file_read_method: 'pread' } as const;

/** @param control a session that may end queries. */
export function openReader(
  engine: Engine,
  control: Session,
  { directory, limits, readers }: ReaderOptions,
): ChdbReader {
  const settings = { ...readSettings(limits), ...FILE_READING };
  const whole = {
    ...settings,
    ...WHOLE_RESULT,
    ...ONE_WRITER,
    output_format_json_array_of_rows: 1,
  };
  const small = { ...settings, ...readSettings({ ...limits, ...SmallAnswers.within(limits) }) };
  const results = join(directory, 'results');
  emptyDirectory(results);
  return new ChdbReader({
    sessions: engine.sessions(asArguments(whole), readers),
    threads: new Pool(() => new ReadingThread(engine.path), readers),
    running: new RunningQueries(control),
    args: asArguments(settings),
    smallArgs: asArguments({ ...small, ...ONE_WRITER }),
    directory: results,
    timeoutSeconds: limits.timeoutSeconds,
  });
}

/** Waking several threads for a small answer takes longer than writing it in one. */
const ONE_WRITER = { output_format_parallel_formatting: 0 } as const;

export function asArguments(
  settings: Readonly<Record<string, string | number>>,
): readonly string[] {
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
}

/** These files were left by a crash. */
function emptyDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
}
