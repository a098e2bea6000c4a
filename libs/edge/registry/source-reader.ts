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
import { SourceError } from '../sources/source-error.js';
import { knownFailure } from './columns/known-failures.js';
import { withCount } from './prepare/count-view.js';
import { ANSWER_BYTES, KeptAnswers, mayBeKept } from './kept-answers.js';
import type { PreparedTable } from './prepare/prepare-table.js';
import { Repeatable } from './repeatable.js';
import { NOT_THERE, sourceFault, withoutPlace } from './source-fault.js';
import type { TableRegistry } from './table-registry.js';

/** A statement that reads fewer bytes of copies in memory than this gets one thread: a second one costs more than it does. */
const FEW_BYTES = 1024 ** 2;
/** A file that was written within this time may be written again, and have the same stamp. */
const SETTLED_MS = 2_000;
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
    private readonly registry: Pick<TableRegistry, 'prepared'>,
    private readonly logger: Logger,
  ) {
    super();
    this.repeatable = new Repeatable(reader);
  }

  async stream(query: WarehouseQuery): Promise<Readable> {
    const files = await this.relied(query);
    const known = files === undefined ? undefined : this.answers.get(query, files);
    if (known) return new WholeResult(known);
    await this.insistOnSources(query);
    const isSmall = this.isOverFew(query);
    const rows = await this.reader
      .stream({ ...this.counted(query), ...(isSmall && { isSmall }) })
      .catch((error: unknown) => this.fail(error, query));
    if (files === undefined) return rows;
    const keep = async (bytes: Buffer): Promise<void> => {
      if (files === (await this.files(query))) this.answers.set(query, files, bytes);
    };
    if (!(rows instanceof WholeResult)) return overheard(rows, keep);
    if (mayBeKept(rows.bytes)) await keep(rows.bytes);
    return rows;
  }

  async text(query: WarehouseQuery): Promise<string> {
    await this.insistOnSources(query);
    return this.reader.text(this.counted(query)).catch((error: unknown) => this.fail(error, query));
  }

  /**
   * A cached answer is keyed by the files that it is read from. It is not used if the caller wants
   * statistics of the reading.
   */
  private async relied(query: WarehouseQuery): Promise<string | undefined> {
    if (query.onProgress || query.onReading || !KEPT_FORMATS.has(query.format)) return undefined;
    return (await this.repeatable.is(query.sql)) ? this.files(query) : undefined;
  }

  /**
   * The current stamps of the files of tables that are read in place; none if all tables are
   * copies.
   * @returns undefined if a table has no such files, or if a change might not show, because file
   *   systems store times only to some milliseconds
   */
  private async files(query: WarehouseQuery): Promise<string | undefined> {
    const settled = Date.now() - SETTLED_MS;
    const stamps: string[] = [];
    for (const [, { files }] of this.named(query)) {
      const stamp = await files?.();
      if (!stamp || stamp.writtenAt > settled) return undefined;
      stamps.push(stamp.text);
    }
    return stamps.join('\n');
  }

  /** Tells whether all rows that the statement may read are few, and in memory. */
  private isOverFew({ sql, database = '' }: WarehouseQuery): boolean {
    let bytes = 0;
    for (const [name, { copy }] of this.registry.prepared(database))
      if (isNamed(name, sql)) bytes += copy?.memoryBytes ?? Infinity;
    return bytes <= FEW_BYTES;
  }

  private counted(query: WarehouseQuery): WarehouseQuery {
    return withCount(query, this.registry.prepared(query.database ?? ''));
  }

  /**
   * Files may have changed since the table was registered. SQLite would create an empty database if
   * the file is missing.
   */
  private async insistOnSources(query: WarehouseQuery): Promise<void> {
    for (const [name, { described, place, check }] of this.named(query)) {
      if (described.options.format === 'sqlite' && !existsSync(place))
        throw unreadable(name, NOT_THERE);
      await check?.().catch((error: unknown) => {
        this.logger.warn({ err: error }, `table ${JSON.stringify(name)} cannot be read`);
        throw unreadable(name, reasonOf(error), error);
      });
    }
  }

  /** The statement's tables whose rows are in files or on servers. */
  private named({ sql, database = '' }: WarehouseQuery): readonly NamedTable[] {
    return [...this.registry.prepared(database)].filter(
      ([name, { copy }]) => !copy && isNamed(name, sql),
    );
  }

  /** @throws {MillraceError} TABLE_UNREADABLE; else what was thrown */
  private fail(error: unknown, query: WarehouseQuery): never {
    if (isAbort(error)) throw error;
    const failure = toWarehouseError(error);
    const named = this.named(query);
    const fault = named.length === 0 ? undefined : sourceFault(failure);
    if (fault === undefined) throw withoutPlace(failure);
    const names = those(named, failure.message).map((name) => JSON.stringify(name));
    this.logger.warn({ err: failure }, `table ${names.join(' or ')} cannot be read`);
    throw new MillraceError(
      'TABLE_UNREADABLE',
      `table ${names.join(' or ')} cannot be read: ${fault}`,
      { cause: error },
    );
  }
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

type NamedTable = readonly [name: string, table: PreparedTable];

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
