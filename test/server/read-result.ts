import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';

type Row = Record<string, unknown>;

/** Rows of an answer in Arrow, by Apache's own library; lists and structs as plain values. */
export function readArrow(bytes: Buffer): Row[] {
  return tableFromIPC(bytes)
    .toArray()
    .map((row: { toJSON(): Row }) => plain(row.toJSON()) as Row);
}

/** Names and types of an Arrow answer's columns. */
export function arrowTypes(bytes: Buffer): Record<string, string> {
  return Object.fromEntries(
    tableFromIPC(bytes).schema.fields.map(({ name, type }) => [name, String(type)]),
  );
}

/**
 * Rows of an answer in Parquet, by hyparquet.
 * @param utf8 whether bytes without an annotation are texts
 */
export async function readParquet(bytes: Buffer, utf8 = true): Promise<Row[]> {
  const file = new Uint8Array(bytes).buffer;
  return (await parquetReadObjects({ file, utf8 })) as Row[];
}

/** Fields of CSV by RFC 4180; null where nothing stands, not even quotes. */
export function readCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n)/gy;
  for (const [, quoted, bare, end] of text.matchAll(field)) {
    rows.at(-1)?.push(quoted === undefined ? bare || null : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return plain((value.toJSON as () => unknown)());
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
