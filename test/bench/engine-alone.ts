import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ddl } from '../../libs/warehouse/ddl.js';

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * Seconds that the engine alone takes to insert what a SELECT gives into a table of these columns
 * and `_timestamp`, in a process of its own.
 * @param directory a folder of the test; the engine's data is below it, and gone afterwards.
 * @param rows that must then be there.
 */
export function rawInsertSeconds(
  directory: string,
  columns: readonly Column[],
  select: string,
  rows: number,
): number {
  const data = join(directory, 'raw');
  const [create = ''] = new Ddl(undefined).createTable(
    { database: 'raw', table: 't' },
    columns,
    '',
  );
  const script = join(import.meta.dirname, 'insert-alone.mjs');
  // The engine reads a Delta table only below where it was started.
  const answer = execFileSync(process.execPath, [script, data, create, select], {
    encoding: 'utf8',
    cwd: directory,
  });
  const inserted = JSON.parse(answer) as { seconds: number; rows: number };
  rmSync(data, { recursive: true, force: true });
  if (inserted.rows !== rows) throw new Error(`inserted ${inserted.rows} rows of ${rows}`);
  return inserted.seconds;
}
