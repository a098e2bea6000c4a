import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Writes the rows of each SELECT that it reads from a line; its last words are what went wrong. */
const PROGRAM = `
  import { createInterface } from 'node:readline';
  import { Session } from 'chdb';
  const session = new Session(process.argv[1]);
  for await (const line of createInterface({ input: process.stdin })) {
    session.query(JSON.parse(line));
    console.log('made');
  }
  session.close();
`;

export interface ParquetMaker {
  /** The rows of a SELECT as a Parquet file; one after the other. */
  make(select: string): Promise<Buffer>;
  stop(): Promise<void>;
}

/**
 * Starts one engine for many small files, because its start takes longer than the files. For one
 * file take make-parquet.ts.
 */
export function startParquetMaker(): ParquetMaker {
  const directory = mkdtempSync(join(tmpdir(), 'parquet-'));
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', PROGRAM, join(directory, 'store')],
    { cwd: join(import.meta.dirname, '../..'), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let made = 0;
  return {
    make: async (select) => {
      const file = join(directory, `${(made += 1)}.parquet`);
      const statement = `INSERT INTO FUNCTION file('${file}', Parquet) ${select}`;
      child.stdin.write(`${JSON.stringify(statement)}\n`);
      if ((await answers.next()).done) throw new Error(`no Parquet file of ${select}`);
      return readFileSync(file);
    },
    stop: async () => {
      child.stdin.end();
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
