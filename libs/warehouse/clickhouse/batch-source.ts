import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { copyFile, link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { POSITION_COLUMNS } from '../ddl.js';
import { quoteText } from '../identifier.js';
import { LINES_SETTINGS, selectBatches } from '../sql/batch-statements.js';
import type { BatchInsert, LocalEngine } from '../warehouse.js';

/** What an insert takes its rows from, each with its position. */
export interface Offer {
  /** SQL: a subquery or a table function. */
  readonly rows: string;
  /** Of the engine, for reading them. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The data that goes with the statement, where there is any: a file compressed with zstd. */
  readonly file?: string;
}

export interface BatchSource {
  /** What is offered is there until `take` has resolved or failed. */
  offer(insert: BatchInsert, take: (offer: Offer) => Promise<void>): Promise<void>;
}

/** For an engine that reads a folder of ours: the files are linked into it. */
export class HandedBatches implements BatchSource {
  /** @param directory that the engine may read; absolute */
  constructor(private readonly directory: string) {}

  async offer(
    { columns, types, batches }: BatchInsert,
    take: (offer: Offer) => Promise<void>,
  ): Promise<void> {
    const handed = new Map(
      batches.map(({ file }) => [file, join(this.directory, `${randomUUID()}${endingOf(file)}`)]),
    );
    try {
      for (const [file, at] of handed) await linkOrCopy(file, at);
      const there = batches.map((batch) => ({ ...batch, file: handed.get(batch.file) ?? '' }));
      const rows = `(${selectBatches({ columns, types, batches: there })})`;
      await take(types ? { rows, settings: LINES_SETTINGS } : { rows });
    } finally {
      await Promise.all([...handed.values()].map((file) => rm(file, { force: true })));
    }
  }
}

/** It names the compression. */
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

/** For a server that cannot read our files: the engine in this process makes one file of them, which is sent. */
export class SentBatches implements BatchSource {
  constructor(
    private readonly engine: LocalEngine,
    /** Absolute; for files on their way. What is there was left by a process that is gone. */
    private readonly directory: string,
  ) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  async offer(insert: BatchInsert, take: (offer: Offer) => Promise<void>): Promise<void> {
    const file = join(this.directory, `${randomUUID()}.native.zst`);
    try {
      const structure = await this.write(insert, file);
      await take({ rows: `input(${quoteText(structure)})`, file });
    } finally {
      await rm(file, { force: true });
    }
  }

  /** @returns what `input()` is to read from the file. */
  private async write(insert: BatchInsert, file: string): Promise<string> {
    const target = `file(${quoteText(file)}, Native)`;
    // By number: the statement would name every column of a wide table several times.
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
