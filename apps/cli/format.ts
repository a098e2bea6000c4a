export const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'arrow', 'delta'] as const;
export type Format = (typeof FORMATS)[number];

/** The way in which a file is sent. */
export interface FileKind {
  readonly format: Format;
  /** The file is compressed by gzip. */
  readonly gzipped: boolean;
}

const BY_ENDING: readonly (readonly [RegExp, Format])[] = [
  [/\.json$/, 'json'],
  [/\.(?:ndjson|jsonl)$/, 'ndjson'],
  [/\.(?:csv|tsv)$/, 'csv'],
  [/\.parquet$/, 'parquet'],
  [/\.(?:arrow|arrows|feather)$/, 'arrow'],
];

/** Reads the kind of a file from its name. @param format overrides it */
export function kindOf(name: string, format: Format | undefined): FileKind | undefined {
  const lower = name.toLowerCase();
  if (/\.(?:tar|tar\.gz|tgz|zip)$/.test(lower) && (format ?? 'delta') === 'delta')
    return { format: 'delta', gzipped: false };
  const gzipped = lower.endsWith('.gz');
  const bare = gzipped ? lower.slice(0, -'.gz'.length) : lower;
  const found = format ?? BY_ENDING.find(([ending]) => ending.test(bare))?.[1];
  return found && { format: found, gzipped };
}

/** The last segment of the route that takes this format. */
export const ROUTES: Readonly<Record<Format, string>> = {
  json: '_json',
  ndjson: '_json',
  csv: '_csv',
  parquet: '_parquet',
  arrow: '_arrow',
  delta: '_delta_lake',
};

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.file',
  delta: 'application/x-tar',
};

export function contentTypeOf(format: Format, name: string): string {
  if (format !== 'delta') return CONTENT_TYPES[format];
  const lower = name.toLowerCase();
  if (lower.endsWith('.zip')) return 'application/zip';
  return /\.(?:tar\.gz|tgz)$/.test(lower) ? 'application/gzip' : CONTENT_TYPES.delta;
}
