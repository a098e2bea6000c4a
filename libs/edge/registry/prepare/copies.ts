import { randomBytes } from 'node:crypto';
import { quoteIdentifier, type SourceEngine } from '@app/warehouse';
import { settingsClause, type Settings } from '../../sources/source.js';
import type { Holding } from './holding.js';

/** A table of the engine that this program has created. */
export interface Copy {
  /** Quoted. */
  readonly table: string;
  /** The bytes that it takes of the allowance. They are given back when it is dropped. */
  readonly bytes: number;
  /** The bytes that it takes of the allowance for memory; absent: it lies on disk. */
  readonly memoryBytes?: number;
}

/** The allowances within which copies are made, and to which they return their bytes. */
export interface CopyTerms {
  readonly engine: Pick<SourceEngine, 'statements'>;
  readonly holding: Holding;
}

/** The database of the copies. The guard refuses its name, as it refuses all names of databases. */
export const COPIES = `o_${randomBytes(16).toString('hex')}`;

/** @returns a new name, quoted. */
export const newCopyName = (): string =>
  `${COPIES}.${quoteIdentifier(randomBytes(8).toString('hex'))}`;

/** Files may be compressed, and decompress to more bytes than these. */
const SMALL_SOURCE_BYTES = 4 * 1024 ** 2;
const SMALL_COPY_BYTES = 32 * 1024 ** 2;
/**
 * The memory of the engine while it makes a small copy: the rows, and the blocks that it reads them
 * by.
 */
export const MAKING_BYTES = 256 * 1024 ** 2;

/** The rows that become a copy. */
interface CopiedRows {
  /** The statement without its settings. */
  readonly select: string;
  readonly settings: Settings;
  /** The size of its files; undefined: unknown. */
  readonly bytes: number | undefined;
}

/** The rows of a table that is read in place. */
export interface RowsInPlace extends Omit<CopiedRows, 'bytes'> {
  /**
   * A table function with the footer of each of its Parquet files; undefined: these do not tell how
   * much is read.
   */
  readonly footers: string | undefined;
}

/**
 * Copies the rows of a statement. Few rows are held in memory if there is room for them, because
 * opening parts on disk takes longer than reading them.
 */
export async function makeCopy(
  rows: CopiedRows,
  { engine: { statements }, holding: { memory } }: CopyTerms,
): Promise<Omit<Copy, 'bytes'>> {
  if (rows.bytes !== undefined && rows.bytes <= SMALL_SOURCE_BYTES) {
    const table = await makeInMemory(rows, statements);
    if (table !== undefined) {
      const memoryBytes = await sizeOf(table, statements);
      if (memoryBytes <= SMALL_COPY_BYTES && memory.take(memoryBytes))
        return { table, memoryBytes };
      await statements.run(`DROP TABLE IF EXISTS ${table}`);
    }
  }
  return { table: await makeTable('MergeTree ORDER BY tuple()', rows, statements) };
}

/** Drops a copy, and gives back its bytes. It must be called once. */
export async function dropCopy(
  { table, bytes, memoryBytes = 0 }: Copy,
  { engine, holding }: CopyTerms,
): Promise<void> {
  holding.giveBack(bytes);
  holding.memory.giveBack(memoryBytes);
  await engine.statements.run(`DROP TABLE IF EXISTS ${table}`);
}

/** @returns undefined if that fails; if the rows are at fault, the copy on disk fails too */
function makeInMemory(
  rows: CopiedRows,
  statements: SourceEngine['statements'],
): Promise<string | undefined> {
  const settings = { ...rows.settings, max_memory_usage: `${MAKING_BYTES}` };
  return makeTable('Memory', { ...rows, settings }, statements).catch(() => undefined);
}

export async function makeTable(
  kind: string,
  { select, settings }: CopiedRows,
  statements: SourceEngine['statements'],
): Promise<string> {
  const name = newCopyName();
  try {
    await statements.run(
      `CREATE TABLE ${name} ENGINE = ${kind} AS ${select}${settingsClause(settings)}`,
    );
    return name;
  } catch (error) {
    await statements.run(`DROP TABLE IF EXISTS ${name}`).catch(() => undefined);
    throw error;
  }
}

export async function sizeOf(
  copy: string,
  statements: SourceEngine['statements'],
): Promise<number> {
  const [, table = ''] = copy.split('.').map((piece) => piece.replaceAll('`', ''));
  const sql = `SELECT total_bytes FROM system.tables WHERE database = '${COPIES}' AND name = '${table}'`;
  return Number(await statements.run(`${sql} FORMAT TSVRaw`));
}
