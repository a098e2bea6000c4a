import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { isAbort, MillraceError, type Logger } from '@app/platform';
import {
  toWarehouseError,
  WarehouseReader,
  WholeResult,
  type AnswerFormat,
  type WarehouseQuery,
} from '@app/warehouse';
import type { SourceStamp } from '../sources/source-stamp.js';
import { SourceError } from '../sources/source-error.js';
import { knownFailure } from './columns/known-failures.js';
import { withCount } from './prepare/count-view.js';
import { ANSWER_BYTES, KeptAnswers, mayBeKept } from './kept-answers.js';
import type { StampedTables } from './memory/memory-copies.js';
import type { LentTables } from './memory/twins.js';
import type { PreparedTable } from './prepare/prepare-table.js';
import { Repeatable } from './repeatable.js';
import { isSettled } from './settled.js';
import { NOT_THERE, sourceFault, withoutPlace } from './source-fault.js';
import type { TableRegistry } from './table-registry.js';

/** A statement that reads fewer bytes of copies in memory than this gets one thread: a second one costs more than it does. */
const FEW_BYTES = 1024 ** 2;
/** Other statements describe or explain, and read no rows. So does a LIMIT of none. */
const READS_ROWS = /^\s*(?:SELECT|WITH|\()(?!.*\bLIMIT 0$)/is;
/** Answers in these formats are cached, because no later step changes them. */
const KEPT_FORMATS: ReadonlySet<AnswerFormat> = new Set(['json', 'ndjson', 'csv']);

/**
 * Reads for clients. Small answers are kept until the copies, or the files of this machine, change,
 * and the same query is answered from them. If the files or servers of a table fail, that is not
 * the client's mistake. The client gets the table's name, and the log also gets the place.
 */
export class SourceReader extends WarehouseReader {
  private readonly answers = new KeptAnswers();
  private readonly repeatable: Repeatable;

  constructor(
    private readonly reader: WarehouseReader,
    private readonly registry: Pick<TableRegistry, 'prepared' | 'memory'>,
    private readonly logger: Logger,
  ) {
    super();
    this.repeatable = new Repeatable(reader);
  }

  async stream(query: WarehouseQuery): Promise<Readable> {
    const tables = this.registry.prepared(query.database ?? '');
    const read = await stamped(named(query, tables));
    const files = await this.relied(query, read);
    const known = files === undefined ? undefined : this.answers.get(query, files);
    if (known) return new WholeResult(known);
    const lent = mayReadCopies(query)
      ? this.registry.memory.lend(query.database ?? '', read)
      : undefined;
    const rows = lent
      ? await this.readLent(query, lent)
      : await this.readAsked(query, tables, read);
    if (files === undefined) return rows;
    const keep = async (bytes: Buffer): Promise<void> => {
      const now = filesOf(await stamped(named(query, tables)));
      if (files === now) this.answers.set(query, files, bytes);
    };
    if (!(rows instanceof WholeResult)) return overheard(rows, keep);
    if (mayBeKept(rows.bytes)) await keep(rows.bytes);
    return rows;
  }

  async text(query: WarehouseQuery): Promise<string> {
    const tables = this.registry.prepared(query.database ?? '');
    await this.insistOnSources(named(query, tables));
    return this.reader
      .text(withCount(query, tables))
      .catch((error: unknown) => this.fail(error, named(query, tables)));
  }

  /** Reads tables of which some are copies in memory. */
  private async readLent(query: WarehouseQuery, lent: LentTables): Promise<Readable> {
    const { database, tables, release } = lent;
    try {
      const rows = await this.read({ ...query, database }, tables);
      whenRead(rows, release);
      return rows;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Reads tables as they are, which may get copies in memory if that was not the first time. */
  private async readAsked(
    query: WarehouseQuery,
    tables: Tables,
    read: StampedTables,
  ): Promise<Readable> {
    const rows = await this.read(query, tables);
    if (mayReadCopies(query) && withCount(query, tables) === query)
      whenRead(rows, () => this.registry.memory.asked(read));
    return rows;
  }

  private async read(query: WarehouseQuery, tables: Tables): Promise<Readable> {
    const inPlace = named(query, tables);
    await this.insistOnSources(inPlace);
    const isSmall = isOverFew(query, tables);
    return this.reader
      .stream({ ...withCount(query, tables), ...(isSmall && { isSmall }) })
      .catch((error: unknown) => this.fail(error, inPlace));
  }

  /**
   * A cached answer is keyed by the files that it is read from. It is not used if the caller wants
   * statistics of the reading.
   */
  private async relied(query: WarehouseQuery, read: StampedTables): Promise<string | undefined> {
    if (query.onProgress || query.onReading || !KEPT_FORMATS.has(query.format)) return undefined;
    return (await this.repeatable.is(query.sql)) ? filesOf(read) : undefined;
  }

  /**
   * Files may have changed since the table was registered. SQLite would create an empty database if
   * the file is missing.
   */
  private async insistOnSources(tables: readonly NamedTable[]): Promise<void> {
    for (const [name, { described, place, check }] of tables) {
      if (described.options.format === 'sqlite' && !existsSync(place))
        throw unreadable(name, NOT_THERE);
      await check?.().catch((error: unknown) => {
        this.logger.warn({ err: error }, `table ${JSON.stringify(name)} cannot be read`);
        throw unreadable(name, reasonOf(error), error);
      });
    }
  }

  /** @throws {MillraceError} TABLE_UNREADABLE; else what was thrown */
  private fail(error: unknown, inPlace: readonly NamedTable[]): never {
    if (isAbort(error)) throw error;
    const failure = toWarehouseError(error);
    const fault = inPlace.length === 0 ? undefined : sourceFault(failure);
    if (fault === undefined) throw withoutPlace(failure);
    const names = those(inPlace, failure.message).map((name) => JSON.stringify(name));
    this.logger.warn({ err: failure }, `table ${names.join(' or ')} cannot be read`);
    throw new MillraceError(
      'TABLE_UNREADABLE',
      `table ${names.join(' or ')} cannot be read: ${fault}`,
      { cause: error },
    );
  }
}

type Tables = ReadonlyMap<string, PreparedTable>;
type NamedTable = readonly [name: string, table: PreparedTable];

/** The statement's tables whose rows are in files or on servers. */
const named = ({ sql }: WarehouseQuery, tables: Tables): readonly NamedTable[] =>
  [...tables].filter(([name, { copy }]) => !copy && isNamed(name, sql));

/** Tells whether all rows that the statement may read are few, and in memory. */
function isOverFew({ sql }: WarehouseQuery, tables: Tables): boolean {
  let bytes = 0;
  for (const [name, { copy }] of tables)
    if (isNamed(name, sql)) bytes += copy?.memoryBytes ?? Infinity;
  return bytes <= FEW_BYTES;
}

/** The tables with the current stamps of their files. */
async function stamped(tables: readonly NamedTable[]): Promise<StampedTables> {
  const stamps = new Map<PreparedTable, SourceStamp | undefined>();
  for (const [, table] of tables) stamps.set(table, await table.files?.());
  return stamps;
}

/**
 * The current stamps of the files of tables that are read in place; none if all tables are copies.
 * @returns undefined if a table has no such files, or if a change might not show
 */
function filesOf(read: StampedTables): string | undefined {
  const stamps = [...read.values()];
  return stamps.every((stamp) => stamp && isSettled(stamp))
    ? stamps.map((stamp) => stamp?.text).join('\n')
    : undefined;
}

/** The filters name tables with their database. */
const mayReadCopies = ({ sql, settings }: WarehouseQuery): boolean =>
  READS_ROWS.test(sql) && settings?.['additional_table_filters'] === undefined;

/** Calls when nobody reads the answer any more. */
function whenRead(rows: Readable, then: () => void): void {
  if (rows instanceof WholeResult) then();
  else rows.once('close', then);
}

/** Passes an answer on as it comes, and hands over its bytes if it was small. */
function overheard(rows: Readable, keep: (bytes: Buffer) => Promise<void>): Readable {
  async function* passed(): AsyncGenerator<Buffer> {
    const chunks: Buffer[] = [];
    let isSmall = true;
    let bytes = 0;
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      isSmall &&= bytes <= ANSWER_BYTES;
      if (isSmall) chunks.push(chunk);
      else chunks.length = 0;
      yield chunk;
    }
    if (isSmall) await keep(Buffer.concat(chunks));
  }
  // A generator that waits for a chunk would notice only then that the client has left.
  return Readable.from(passed(), { objectMode: false }).once('close', () => rows.destroy());
}

/** Messages of other errors contain places. */
function reasonOf(error: unknown): string {
  if (error instanceof SourceError) return NOT_THERE;
  if (error instanceof MillraceError) return error.message;
  const failure = toWarehouseError(error);
  return knownFailure(failure.message.replace(/\s+/g, ' ')) ?? sourceFault(failure) ?? NOT_THERE;
}

const unreadable = (name: string, reason: string, cause?: unknown): MillraceError =>
  new MillraceError('TABLE_UNREADABLE', `table ${JSON.stringify(name)} cannot be read: ${reason}`, {
    cause,
  });

/** The names of the tables whose place the engine names, or of all tables if it names none. */
function those(tables: readonly NamedTable[], message: string): readonly string[] {
  const meant = tables.filter(([, { place }]) => message.includes(place.replace(/[*?{].*$/s, '')));
  return (meant.length > 0 ? meant : tables).map(([name]) => name);
}

const PART_OF_A_NAME = /[A-Za-z0-9_]/;

function isNamed(name: string, sql: string): boolean {
  for (let at = sql.indexOf(name); at !== -1; at = sql.indexOf(name, at + 1)) {
    const around = `${sql[at - 1] ?? ' '}${sql[at + name.length] ?? ' '}`;
    if (!PART_OF_A_NAME.test(around)) return true;
  }
  return false;
}
