import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the rows of a SELECT to a Parquet file, in a process of its own: there is one engine in each. */
export function writeParquet(select: string, file: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'parquet-'));
  const program = `
    import { Session } from 'chdb';
    const session = new Session(${JSON.stringify(join(directory, 'store'))});
    session.query(${JSON.stringify(`INSERT INTO FUNCTION file('${file}', Parquet) ${select}`)});
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
