import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { usageError } from './exit-code.js';
import { kindOf, type FileKind, type Format } from './format.js';

/** Files of tables for which the server has no route. */
const NOT_TAKEN = /\.(?:xls[xbm]?|ods|avro|orc|sqlite3?|db|duckdb|h5|hdf5)$/i;

export interface SourceFile extends FileKind {
  /** Below the folder that was given, or the file's own name; `-` is standard input. */
  readonly name: string;
  readonly path: string;
  /** Bytes; undefined: standard input. */
  readonly size: number | undefined;
  /** The path is a Delta table's folder, to be sent as a tar. */
  readonly folder: boolean;
}

/**
 * The files to upload, in the order of their names.
 * @throws {CliError} when there is none, or one whose format nobody knows
 */
export async function findFiles(
  from: string,
  format: Format | undefined,
): Promise<readonly SourceFile[]> {
  if (from === '-') {
    if (!format) throw usageError('standard input has no name; want --format');
    return [{ name: '-', path: '-', size: undefined, folder: false, format, gzipped: false }];
  }
  const found = await stat(from).catch((error: NodeJS.ErrnoException) => {
    throw usageError(
      `${from}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`,
    );
  });
  if (!found.isDirectory())
    return [sourceFile(basename(from), from, found.size, kindOf(basename(from), format))];
  if (await isDeltaTable(from)) return [await deltaTable(from, format)];
  if (format === 'delta') throw usageError(`${from}: no Delta table: there is no _delta_log in it`);
  const files = await regularFiles(from);
  if (files.length === 0) throw usageError(`${from}: there is no file in it`);
  return files.map(({ name, path, size }) => sourceFile(name, path, size, kindOf(name, format)));
}

interface FoundFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** All files below a folder, hidden ones left out. */
export async function regularFiles(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const named = paths
    .map((path) => ({ path, name: relative(folder, path).split(sep).join('/') }))
    .filter(({ name }) => !/(?:^|\/)\./.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return Promise.all(
    named.map(async ({ name, path }) => ({ name, path, size: (await stat(path)).size })),
  );
}

function sourceFile(
  name: string,
  path: string,
  size: number,
  kind: FileKind | undefined,
): SourceFile {
  if (kind) return { name, path, size, folder: false, ...kind };
  if (NOT_TAKEN.test(name))
    throw usageError(
      `${path}: such a file is not taken; save it as CSV or Parquet first, or leave it out`,
    );
  throw usageError(`${path}: its name does not tell its format; give --format, or leave it out`);
}

async function isDeltaTable(folder: string): Promise<boolean> {
  const log = await stat(join(folder, '_delta_log')).catch(() => undefined);
  return log?.isDirectory() ?? false;
}

async function deltaTable(folder: string, format: Format | undefined): Promise<SourceFile> {
  if (format !== undefined && format !== 'delta')
    throw usageError(`${folder}: a Delta table, not ${format}; give its files one by one`);
  const files = await regularFiles(folder);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return {
    name: basename(folder),
    path: folder,
    size,
    folder: true,
    format: 'delta',
    gzipped: false,
  };
}
