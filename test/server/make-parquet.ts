import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the rows of a SELECT to a Parquet file. */
export const writeParquet = (select: string, file: string): void => {
  writeTable(select, file, 'Parquet');
};

/**
 * Writes the rows of a SELECT to a file, in a process of its own: there is one engine in each.
 * @param format as the engine calls it
 */
export function writeTable(select: string, file: string, format: 'Parquet' | 'Avro' | 'ORC'): void {
  const directory = mkdtempSync(join(tmpdir(), 'parquet-'));
  const program = `
    import { Session } from 'chdb';
    const session = new Session(${JSON.stringify(join(directory, 'store'))});
    session.query(${JSON.stringify(`INSERT INTO FUNCTION file('${file}', ${format}) ${select}`)});
    session.close();
  `;
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: join(import.meta.dirname, '../..'),
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The rows of a SELECT as a Parquet file: for files too large to be kept. */
export function makeParquet(select: string): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'parquet-'));
  const file = join(directory, 'made.parquet');
  try {
    writeParquet(select, file);
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
