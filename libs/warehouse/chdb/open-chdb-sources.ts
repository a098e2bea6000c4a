import { Session } from 'chdb';
import type { SourceEngine, SourceEngineOptions } from '../source-engine.js';
import { ChdbStatements } from './chdb-statements.js';
import { Engine } from './engine.js';
import { asArguments, FILE_READING, openReader } from './open-reader.js';

/** Settings for statements that create tables: their rows stay in the order of their files. */
const DEFINING: readonly string[] = [
  '--max_insert_threads=1',
  '--input_format_parquet_preserve_order=1',
  '--allow_experimental_alias_table_engine=1',
  '--session_timezone=UTC',
  '--date_time_output_format=iso',
  '--output_format_json_quote_64bit_integers=0',
  ...asArguments(FILE_READING),
];

const KILL_ALL = 'KILL QUERY WHERE query_id != queryID() ASYNC';

/** Starts ClickHouse's engine in this process for tables over files and servers. */
export function openChdbSources({
  directory,
  limits,
  readers,
  definers,
}: SourceEngineOptions): SourceEngine {
  const engine = new Engine(directory);
  const control = new Session(engine.path);
  const reader = openReader(engine, control, { directory, limits, readers });
  const sessions = engine.sessions(
    [...DEFINING, `--max_memory_usage=${limits.memoryBytes}`],
    definers,
  );
  return {
    reader,
    statements: new ChdbStatements(sessions),
    close: async () => {
      await reader.close();
      // Running copies are not needed any more, and closing would wait for them.
      await control.queryAsync(KILL_ALL).catch(() => undefined);
      await engine.close(() => {
        control.close();
        return Promise.resolve();
      });
      await reader.end();
    },
  };
}
