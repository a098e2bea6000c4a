import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BYTES_MAX = 4_000_000;

export type DataFormat = 'csv' | 'json' | 'ndjson' | 'parquet' | 'arrow';

const FORMATS: Readonly<Record<string, DataFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'ndjson',
  ndjson: 'ndjson',
  parquet: 'parquet',
  arrow: 'arrow',
  feather: 'arrow',
};

export interface DataFile {
  readonly path: string;
  readonly format: DataFormat;
}

/**
 * Finds the files of tables below a folder.
 * @param unpacked folder for what is compressed there
 */
export function dataFiles(packages: string, unpacked: string): readonly DataFile[] {
  return readdirSync(packages, { recursive: true, withFileTypes: true })
    .flatMap((entry) => {
      const [, name = '', extension = '', packed] = /^(.*)\.(\w+?)(\.gz)?$/.exec(entry.name) ?? [];
      const format = Object.hasOwn(FORMATS, extension) ? FORMATS[extension] : undefined;
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || format === undefined || !isTable(path, format)) return [];
      if (packed === undefined) return [{ path, format }];
      const file = join(unpacked, basename(dirname(path)), `${name}.${extension}`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, gunzipSync(readFileSync(path)));
      return [{ path: file, format }];
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Objects alone are settings and drawings, and Feather of version 1 is refused. */
function isTable(path: string, format: DataFormat): boolean {
  const bytes = readFileSync(path);
  if (bytes.length > BYTES_MAX) return false;
  const isPacked = path.endsWith('.gz');
  if (format === 'json') return !isPacked && /^\s*\[\s*\{/.test(bytes.toString('utf8', 0, 100));
  return format !== 'arrow' || bytes.toString('latin1', 0, 4) !== 'FEA1';
}
