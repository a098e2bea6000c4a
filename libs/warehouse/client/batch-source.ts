import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { certain } from '@app/platform';
import { POSITION_COLUMNS } from '../ddl/ddl.js';
import { quoteText } from '../ddl/identifier.js';
import { LINES_SETTINGS, selectBatches } from '../sql/batches/batch-statements.js';
import type { BatchInsert, LocalEngine } from '../warehouse.js';

/** The source of an insert's rows, each with its position. */
export interface Offer {
  /** SQL: a subquery or a table function. */
  readonly rows: string;
  /** The engine's settings for reading them. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The data that is sent with the statement, if there is any: a file compressed with zstd. */
  readonly file?: string;
}

export interface BatchSource {
  /** Makes rows available until `take` has resolved or failed. */
  offer(insert: BatchInsert, take: (offer: Offer) => Promise<void>): Promise<void>;
}

/** Gives batches to an engine that reads a folder of ours, by linking the files into it. */
export class HandedBatches implements BatchSource {
  /** @param directory the absolute path of a folder that the engine may read */
  constructor(private readonly directory: string) {}

  offer(insert: BatchInsert, take: (offer: Offer) => Promise<void>): Promise<void> {
    return withLinked(insert, this.directory, async (linked) => {
      const rows = `(${selectBatches(linked)})`;
      await take(insert.types ? { rows, settings: LINES_SETTINGS } : { rows });
    });
  }
}

/** Runs work while the files of an insert are in a folder, too; they are gone from it afterwards. */
async function withLinked(
  insert: BatchInsert,
  directory: string,
  work: (linked: BatchInsert) => Promise<void>,
): Promise<void> {
  const { batches } = insert;
  const linked = new Map(
    batches.map(({ file }) => [file, join(directory, `${randomUUID()}${endingOf(file)}`)]),
  );
  const linkOf = (file: string): string => certain(linked.get(file), `link of ${file}`);
  try {
    for (const [file, at] of linked) await linkOrCopy(file, at);
    const there = batches.map((batch) => ({ ...batch, file: linkOf(batch.file) }));
    await work({ ...insert, batches: there });
  } finally {
    await Promise.all([...linked.values()].map((file) => rm(file, { force: true })));
  }
}

/** Gives the ending of the file, which names its compression. */
const endingOf = (file: string): string => /\.[\w.]*$/.exec(file)?.[0] ?? '';

/** A folder may be on another disk. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    await copyFile(from, to);
  }
}

/** SQL: the settings as the end of a statement. */
const LINES = ` SETTINGS ${Object.entries(LINES_SETTINGS)
  .map(([name, value]) => `${name} = ${typeof value === 'string' ? quoteText(value) : value}`)
  .join(', ')}`;

/**
 * Gives batches to a server that cannot read our files. The local engine converts them to one file,
 * which is sent. It may read only this folder, so the files are linked into it.
 */
export class SentBatches implements BatchSource {
  constructor(
    private readonly engine: LocalEngine,
    /**
     * The absolute path of the folder for files that are sent. Files in it were left by an earlier
     * process.
     */
    private readonly directory: string,
  ) {
    mkdirSync(directory, { recursive: true });
    // The folder itself stays, because the local engine has opened it and would not see a new one.
    for (const each of readdirSync(directory)) rmSync(join(directory, each));
  }

  async offer(insert: BatchInsert, take: (offer: Offer) => Promise<void>): Promise<void> {
    const file = join(this.directory, `${randomUUID()}.native.zst`);
    try {
      let structure = '';
      await withLinked(insert, this.directory, async (linked) => {
        structure = await this.write(linked, file);
      });
      await take({ rows: `input(${quoteText(structure)})`, file });
    } finally {
      await rm(file, { force: true });
    }
  }

  /** @returns the structure that `input()` reads from the file. */
  private async write(insert: BatchInsert, file: string): Promise<string> {
    const target = `file(${quoteText(file)}, Native)`;
    // The columns have numbers as names, because the statement would repeat every name of a wide
    // table several times.
    const names = [...insert.columns, ...POSITION_COLUMNS]
      .map((_, index) => `c${index}`)
      .join(', ');
    await this.engine.run(
      `INSERT INTO FUNCTION ${target} WITH rows(${names}) AS (${selectBatches(insert)}) SELECT * FROM rows${insert.types ? LINES : ''}`,
    );
    return this.structure(target);
  }

  /** Names and types in the form for `input()`. */
  private async structure(source: string): Promise<string> {
    const description = await this.engine.run(`DESCRIBE TABLE ${source}`);
    return description
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t', 2).join(' '))
      .join(', ');
  }
}
