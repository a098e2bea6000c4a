import { type TableFormat } from '../table-description.js';

const EXTENSIONS: Readonly<Record<string, TableFormat>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
  arrow: 'arrow',
  feather: 'arrow',
  arrows: 'arrows',
  xls: 'xls',
  xlsx: 'xlsx',
  xlsb: 'xlsb',
  ods: 'ods',
  db: 'sqlite',
  sqlite: 'sqlite',
  sqlite3: 'sqlite',
};
const SCHEMES: Readonly<Record<string, TableFormat>> = {
  mysql: 'mysql',
  postgres: 'postgres',
  postgresql: 'postgres',
  sqlite: 'sqlite',
};
/** The engine decompresses files with these endings. */
const COMPRESSED = /\.(?:gz|br|bz2|xz|zst|lz4|snappy)$/;

/** The format that a URI's scheme or its file's extension says; undefined when neither does. */
export function formatInUri(uri: string): TableFormat | undefined {
  const scheme = /^([a-z]+):/.exec(uri)?.[1] ?? '';
  const known = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined;
  if (known) return known;
  const extension = /\.([A-Za-z0-9]+)$/.exec(fileName(uri).replace(COMPRESSED, ''))?.[1] ?? '';
  const lower = extension.toLowerCase();
  return Object.hasOwn(EXTENSIONS, lower) ? EXTENSIONS[lower] : undefined;
}

/**
 * The file's name without its extensions, which becomes the name of a table without a name; may be
 * empty.
 */
export function stemOf(uri: string): string {
  return fileName(uri)
    .replace(COMPRESSED, '')
    .replace(/(?<=.)\.[^.]*$/, '');
}

function fileName(uri: string): string {
  const path = /^https?:/.test(uri) ? uri.replace(/[?#].*$/s, '') : uri;
  return path.replace(/\/+$/, '').replace(/^.*[/:]/s, '');
}
