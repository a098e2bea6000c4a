import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { certain } from '@app/platform';
import { POSITION_COLUMNS } from '../ddl/ddl.js';
import { quoteText } from '../ddl/identifier.js';
import { LINES_SETTINGS, selectBatches } from '../sql/batches/batch-statements.js';
import type { BatchInsert, LocalEngine } from '../warehouse.js';

/** The source that an insert takes its rows from, each with its position. */
export interface Offer {
  /** SQL: a subquery or a table function. */
  readonly rows: string;
  /** The engine's settings for reading them. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The data that goes with the statement, where there is any: a file compressed with zstd. */
  readonly file?: string;
}

export interface BatchSource {
  /** Offers rows, which are there until `take` has resolved or failed. */
  offer(insert: BatchInsert, take: (offer: Offer) => Promise<void>): Promise<void>;
}

/** Hands batches to an engine that reads a folder of ours: the files are linked into it. */
export class HandedBatches implements BatchSource {
  /** @param directory that the engine may read; absolute */
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
 * Gives batches to a server that cannot read our files: the engine beside this process makes one file of them,
 * which is sent. It may read this folder only, so the files are linked into it.
 */
export class SentBatches implements BatchSource {
  constructor(
    private readonly engine: LocalEngine,
    /** Absolute; for files on their way. What is there was left by a process that is gone. */
    private readonly directory: string,
  ) {
    mkdirSync(directory, { recursive: true });
    // The folder itself stays: the engine is held to it, and not to its name.
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

  /** @returns what `input()` is to read from the file. */
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

  /** Names and types as `input()` takes them. */
  private async structure(source: string): Promise<string> {
    const description = await this.engine.run(`DESCRIBE TABLE ${source}`);
    return description
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t', 2).join(' '))
      .join(', ');
  }
}
