import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  footerOf,
  NULL_ROWS,
  nullableObjects,
  nullObjects,
  NullsAllowance,
  tellingColumns,
} from '@app/parquet';
import { quoteText, type Column } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import { NULL_OBJECTS } from '../../sources/engine-format.js';
import type { Settings, Source } from '../../sources/source.js';
import type { DescribedTable } from '../../table-description.js';
import { newCopyName, type Copy } from './copies.js';
import type { Workshop } from './open-source.js';
import { answeredRows } from '../../sources/answered-rows.js';

/** Structs of a table that may be null. */
export interface NullStructs {
  /** SQL that is true in the rows in which they are null, by the column's name. */
  readonly rows: ReadonlyMap<string, string>;
  /** The copies that the expression reads. */
  readonly asides: readonly Copy[];
  /** The settings that the table is read with; undefined means those of its source. */
  readonly settings?: Settings;
}

interface File {
  readonly path: string;
  readonly size: string;
  readonly time: string;
}

const NONE: NullStructs = { rows: new Map(), asides: [] };
/** For more rows, the check would take longer than it is worth. */
const FILES_MAX = 200;
/** The limit of the decompressed size of the columns that show where structs are null. */
const TELLING_BYTES_MAX = 256 * 1024 ** 2;
/** The number of rows that one number stands for, as a power of two. */
const WORD_BITS = 6;
/** The most such numbers that a file may have, as a power of two. */
const FILE_BITS = 34;

/**
 * Finds out where structs of Parquet files on this machine are null, because the engine reads a
 * null struct as a struct of nulls. The result belongs to the files as they are now. In a file that
 * is rewritten, no struct counts as null until its table is read again.
 */
export async function nullStructs(
  { name, options }: DescribedTable,
  columns: readonly Column[],
  source: Source,
  workshop: Workshop,
): Promise<NullStructs> {
  const structs = columns.filter(({ type }) => type.startsWith('Tuple('));
  if (options.format !== 'parquet' || !source.files || structs.length === 0) return NONE;
  const directory = join(workshop.directory, `nulls-${randomUUID()}`);
  const asides: Copy[] = [];
  try {
    const files = await listed(source.files, workshop);
    const names = new Set(structs.map((struct) => struct.name));
    const found = await writeNulls(files, names, directory);
    const rows = new Map<string, string>();
    for (const [struct, at] of found) {
      if (at.length === 0) {
        rows.set(struct, 'false');
        continue;
      }
      const table = await loaded(folderOf(directory, struct, names), workshop);
      asides.push({ table, bytes: 0 });
      rows.set(struct, inRows(table, files));
    }
    return { rows, asides, settings: { ...source.settings, ...NULL_OBJECTS } };
  } catch (error) {
    for (const { table } of asides) await workshop.engine.statements.run(`DROP TABLE ${table}`);
    workshop.toldOfNulls(name, error);
    return NONE;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function listed(files: string, { engine: { statements } }: Workshop): Promise<File[]> {
  const state = 'toString(_size) AS size, toString(toUnixTimestamp(_time)) AS time';
  const lines = await statements.run(
    `SELECT _path AS path, ${state} FROM ${files} ORDER BY path FORMAT JSONEachRow`,
  );
  const all = answeredRows<File>(lines);
  if (all.length > FILES_MAX) throw new SourceError(`it has more than ${FILES_MAX} files`);
  return all;
}

const folderOf = (directory: string, struct: string, names: ReadonlySet<string>): string =>
  join(directory, String([...names].indexOf(struct)));

/** @returns the numbers of the files in which a struct is null, for each struct that may be. */
async function writeNulls(
  files: readonly File[],
  names: ReadonlySet<string>,
  directory: string,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  const allowance = new NullsAllowance();
  let left = TELLING_BYTES_MAX;
  for (const [number, { path }] of files.entries()) {
    const { schema, bytes } = await footerOf(path, path);
    const objects = nullableObjects(schema).filter((object) => names.has(object.name));
    for (const [object, telling] of tellingColumns(bytes, objects)) {
      for (const { chunk } of telling) left -= chunk.unpackedBytes;
      if (left < 0) throw new SourceError('the columns that tell it are too large');
      const folder = folderOf(directory, object.name, names);
      await mkdir(folder, { recursive: true });
      const count = await nullObjects(path, telling, join(folder, `${number}.bin`), allowance);
      const before = found.get(object.name) ?? [];
      found.set(object.name, count > 0 ? [...before, number] : before);
    }
  }
  return found;
}

/**
 * A table with a number of 64 bits for each 64 rows, by file and place in it. It is held in memory,
 * and only queries of the struct read it.
 */
async function loaded(folder: string, { engine: { statements } }: Workshop): Promise<string> {
  const table = newCopyName();
  const { format, structure } = NULL_ROWS;
  const of = [join(folder, '*.bin'), format, structure].map(quoteText).join(', ');
  const file = `bitShiftLeft(toUInt64(splitByChar('.', _file)[1]), ${FILE_BITS})`;
  await statements.run(
    `CREATE TABLE ${table} (k UInt64, bits UInt64) ENGINE = Join(ANY, LEFT, k) SETTINGS persistent = 0`,
  );
  await statements.run(
    `INSERT INTO ${table} SELECT ${file} + bitShiftRight(at, ${WORD_BITS}) AS k, bits FROM file(${of})`,
  );
  return table;
}

function inRows(table: string, files: readonly File[]): string {
  const paths = `[${files.map(({ path }) => quoteText(path)).join(', ')}]`;
  const states = `[${files.map(({ size, time }) => `toUInt64(${size}) * 4294967296 + ${time}`).join(', ')}]`;
  const number = `transform(_path, ${paths}, range(toUInt64(${files.length})), toUInt64(${files.length}))`;
  const state = `transform(_path, ${paths}, ${states}, toUInt64(0))`;
  const now = 'assumeNotNull(_size) * 4294967296 + toUnixTimestamp(assumeNotNull(_time))';
  const row = 'toUInt64(assumeNotNull(_row_number))';
  const key = `bitShiftLeft(${number}, ${FILE_BITS}) + bitShiftRight(${row}, ${WORD_BITS})`;
  const bits = `joinGet(${quoteText(table.replaceAll('`', ''))}, 'bits', toUInt64(${key}))`;
  return `bitTest(${bits}, ${row} % 64) AND ${state} = ${now}`;
}
