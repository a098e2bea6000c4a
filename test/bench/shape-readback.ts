import type { Server } from '../server/start-server.js';
import type { Column } from './engine-alone.js';
import { quoteIdentifier, quoteText } from '../../libs/warehouse/ddl/identifier.js';

/** SQL: one number for all rows of these columns, whatever their order, and the sum of those of two uploads for both; it wraps. */
export const checksum = (columns: readonly Column[], table: string): string =>
  `SELECT toString(sumWithOverflow(cityHash64(toJSONString(tuple(${columns.map(({ name }) => quoteIdentifier(name)).join(', ')}))))) AS sum FROM ${table}`;

/** Subtracts one sum of 64 bits from another; the result wraps. */
export const difference = (later: string, earlier: string): string =>
  String(BigInt.asUintN(64, BigInt(later) - BigInt(earlier)));

/** Columns that a stream has by now, with the engine's types. */
export async function columnsOf({ client }: Server, stream: string): Promise<readonly Column[]> {
  const answer = await client.call(`/api/default/${stream}/schema`);
  const names = answer.json<{ schema: { name: string }[] }>().schema.map(({ name }) => name);
  const fields = names.filter((name) => name !== '_timestamp');
  const types = fields.map((name) => `toTypeName(${quoteIdentifier(name)})`);
  const [row] = await client.sql<{ types: string[] }>(
    `SELECT [${types.join(', ')}] AS types FROM ${stream} LIMIT 1`,
  );
  return fields.map((name, place) => ({ name, type: row?.types[place] ?? '' }));
}

/** Counts the sent lines that no row has with all its fields alike, and finds the first of them. */
export async function missing(
  { client }: Server,
  stream: string,
  key: string,
  lines: readonly string[],
): Promise<{ readonly lines: number; readonly first?: string }> {
  const keys = lines.map(
    (line) => (JSON.parse(line) as Record<string, string | number | null>)[key] ?? null,
  );
  const literals = keys
    .filter((value) => value !== null)
    .map((value) => (typeof value === 'number' ? String(value) : quoteText(String(value))));
  const condition = `${quoteIdentifier(key)} IN (${[...new Set(literals)].join(', ')})`;
  const answer = await client.call('/api/default/sql', {
    body: `SELECT * FROM ${stream} WHERE ${condition}${keys.includes(null) ? ` OR ${quoteIdentifier(key)} IS NULL` : ''}`,
    headers: { accept: 'application/x-ndjson' },
  });
  if (answer.status !== 200) throw new Error(answer.bytes.toString());
  const rows = new Set(answer.bytes.toString().split('\n').filter(Boolean).map(canonical));
  const gone = lines.filter((line) => !rows.has(canonical(line)));
  return { lines: gone.length, ...(gone[0] === undefined ? {} : { first: gone[0] }) };
}

/** Integers that JavaScript would round stay as they were written. */
const WIDE_INTEGER = /(?<=[:[,]\s*)-?\d{16,}(?=\s*[,\]}])/g;

/**
 * A record as the engine's types can tell it from others: a field that is null or an empty list is
 * none, and so is an object's field without a value (see docs/behaviour.md). Its time is compared
 * elsewhere.
 */
function canonical(line: string): string {
  const fields = JSON.parse(line.replace(WIDE_INTEGER, '"$&"')) as Record<string, unknown>;
  delete fields._timestamp;
  return JSON.stringify(sorted(fields, true) ?? {});
}

function sorted(value: unknown, isTop = false): unknown {
  if (Array.isArray(value)) return value.map((each) => sorted(each) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, sorted(inner)] as const)
    .filter(
      ([, inner]) => inner !== undefined && !(isTop && Array.isArray(inner) && inner.length === 0),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 && !isTop ? undefined : Object.fromEntries(entries);
}
