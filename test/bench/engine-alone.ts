import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ddl } from '../../libs/warehouse/ddl/ddl.js';

export interface Column {
  readonly name: string;
  readonly type: string;
}

export interface RawInsert {
  readonly seconds: number;
  /** Seconds of processor time, of all threads. */
  readonly processor: number;
  readonly rows: number;
  /** The answer to the question, if there was one. */
  readonly answer: string;
}

/**
 * Tells how long the engine alone takes to insert the rows of a SELECT into a table of these
 * columns and `_timestamp`. The engine runs in a process of its own.
 * @param directory a folder of the test; the engine's data is below it, and gone afterwards.
 * @param question a SELECT of one value from the table `raw.t`, asked when it has the rows.
 */
export function rawInsert(
  directory: string,
  columns: readonly Column[],
  select: string,
  question = 'SELECT 0',
): RawInsert {
  const data = join(directory, 'raw');
  const [create = ''] = new Ddl(undefined).createTable(
    { database: 'raw', table: 't' },
    columns,
    '',
  );
  const script = join(import.meta.dirname, 'insert-alone.mjs');
  // The engine reads a Delta table only below where it was started.
  const said = execFileSync(process.execPath, [script, data, create, select, question], {
    encoding: 'utf8',
    cwd: directory,
  });
  rmSync(data, { recursive: true, force: true });
  return JSON.parse(said) as RawInsert;
}

/**
 * Seconds of {@link rawInsert}.
 * @param rows that must then be there.
 */
export function rawInsertSeconds(
  directory: string,
  columns: readonly Column[],
  select: string,
  rows: number,
): number {
  const inserted = rawInsert(directory, columns, select);
  if (inserted.rows !== rows) throw new Error(`inserted ${inserted.rows} rows of ${rows}`);
  return inserted.seconds;
}
