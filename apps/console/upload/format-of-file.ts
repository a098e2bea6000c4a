/** A file goes to the route that takes its format; the server is told how it is compressed. */
export interface FileFormat {
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly encoding: 'gzip' | 'zstd' | undefined;
}

const PACKED = { gz: 'gzip', zst: 'zstd' } as const;
const ROUTES: Readonly<Record<string, string>> = {
  json: '_json',
  ndjson: '_json',
  jsonl: '_json',
  log: '_json',
  csv: '_csv',
  tsv: '_csv',
  parquet: '_parquet',
  tar: '_delta_lake',
  tgz: '_delta_lake',
  zip: '_delta_lake',
};
export const TAKEN = 'JSON, NDJSON, CSV, TSV, Parquet, or a Delta table’s folder as tar or zip';

/**
 * Tells a format by the end of a file's name.
 * @returns undefined for a file that no route takes
 */
export function formatOfFile(name: string): FileFormat | undefined {
  const [last = '', before = ''] = name.toLowerCase().split('.').slice(1).reverse();
  // A packed archive goes as it is: the server looks into it.
  if (before === 'tar' && last === 'gz') return plain('_delta_lake');
  const encoding = last === 'gz' || last === 'zst' ? PACKED[last] : undefined;
  const kind = encoding ? before : last;
  const route = ROUTES[kind];
  if (route === undefined || (encoding && route === '_delta_lake')) return undefined;
  return { route, parameters: kind === 'tsv' ? { delimiter: 'tab' } : {}, encoding };
}

const plain = (route: string): FileFormat => ({ route, parameters: {}, encoding: undefined });

/** Makes the name of a stream that a file's name suggests. */
export function streamOfFile(name: string): string {
  const [stem = ''] = name.split('.');
  return (
    stem
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+/, '')
      .slice(0, 60) || 'uploaded'
  );
}
