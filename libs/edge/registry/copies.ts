import { randomBytes } from 'node:crypto';
import { quoteIdentifier, type SourceEngine } from '@app/warehouse';

/** A table of the engine that is ours. */
export interface Copy {
  /** Quoted. */
  readonly table: string;
  /** Of what may be held: they are given back when it goes. */
  readonly bytes: number;
}

/** Where copies are. The guard refuses such names, as those of all databases. */
export const COPIES = `o_${randomBytes(16).toString('hex')}`;

/** @returns a name that nothing has yet, quoted. */
export const newCopyName = (): string =>
  `${COPIES}.${quoteIdentifier(randomBytes(8).toString('hex'))}`;

/** Files may be packed, and unpack to more than these bytes. */
const SMALL_SOURCE_BYTES = 4 * 1024 ** 2;
const SMALL_COPY_BYTES = 32 * 1024 ** 2;

/**
 * Copies what a statement selects. Few rows are held in memory as they are: to open parts on disk
 * takes longer than to read them.
 * @param bytes of its files; undefined: nobody knows
 * @returns the copy's table, quoted
 */
export async function makeCopy(
  select: string,
  bytes: number | undefined,
  statements: SourceEngine['statements'],
): Promise<string> {
  if (bytes === undefined || bytes > SMALL_SOURCE_BYTES) return make(ON_DISK, select, statements);
  const small = await make('Memory', select, statements);
  if ((await sizeOf(small, statements)) <= SMALL_COPY_BYTES) return small;
  try {
    return await make(ON_DISK, `SELECT * FROM ${small}`, statements);
  } finally {
    await statements.run(`DROP TABLE IF EXISTS ${small}`).catch(() => undefined);
  }
}

const ON_DISK = 'MergeTree ORDER BY tuple()';

async function make(
  kind: string,
  select: string,
  statements: SourceEngine['statements'],
): Promise<string> {
  const name = newCopyName();
  try {
    await statements.run(`CREATE TABLE ${name} ENGINE = ${kind} AS ${select}`);
    return name;
  } catch (error) {
    await statements.run(`DROP TABLE IF EXISTS ${name}`).catch(() => undefined);
    throw error;
  }
}

async function sizeOf(copy: string, statements: SourceEngine['statements']): Promise<number> {
  const [, table = ''] = copy.split('.').map((part) => part.replaceAll('`', ''));
  const sql = `SELECT total_bytes FROM system.tables WHERE database = '${COPIES}' AND name = '${table}'`;
  return Number(await statements.run(`${sql} FORMAT TSVRaw`));
}
