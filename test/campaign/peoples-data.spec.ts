import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startEdge, type Edge } from '../server/start-edge.js';
import { startServer, type Server } from '../server/start-server.js';
import { KNOWN_DIFFERENCES } from './known-differences.js';
import { pythonPackages } from './python-packages.js';

const BYTES_MAX = 4_000_000;
const RUN_MS = 1_800_000;
const READING_MS = 600_000;
const PRINTED_MAX = 256 * 1024 * 1024;
/** A statement names no more columns at once. */
const COLUMNS_AT_ONCE = 200;
const RELATIVE = 1e-9;

type Kind = 'boolean' | 'integer' | 'float' | 'date' | 'timestamp' | 'text' | 'other';

interface ColumnFacts {
  readonly name: string;
  readonly kind: Kind;
  /** The number of those that are not null. */
  readonly values: number;
  /** Of numbers, of lengths of texts in bytes, of trues, of seconds since 1970. */
  readonly sum?: number | null;
}

interface Reading {
  readonly path: string;
  readonly format: 'csv' | 'tsv' | 'json' | 'ndjson' | 'parquet';
  readonly problem?: string;
  readonly rows?: number;
  readonly columns?: readonly ColumnFacts[];
}

const ROUTES = { csv: '_csv', tsv: '_csv', json: '_json', ndjson: '_multi', parquet: '_parquet' };

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^Boolean/, 'boolean'],
  [/^U?Int\d/, 'integer'],
  [/^(?:Float|Decimal)/, 'float'],
  [/^Date/, 'date'],
  [/^Timestamp/, 'timestamp'],
  [/^Utf8/, 'text'],
];
const SUMS: Readonly<Record<Kind, (column: string) => string>> = {
  boolean: (column) => `count(*) FILTER (WHERE ${column})`,
  integer: (column) => `sum(CAST(${column} AS DOUBLE))`,
  float: (column) => `sum(CASE WHEN isFinite(${column}) THEN CAST(${column} AS DOUBLE) END)`,
  date: (column) => `sum(epoch(${column}))`,
  timestamp: (column) => `sum(epoch(${column}))`,
  text: (column) => `sum(octet_length(${column}))`,
  other: () => 'NULL',
};

type Ask = (sql: string) => Promise<string>;

/** The same facts as DuckDB's, of our table. */
async function facts(ask: Ask, table: string): Promise<readonly ColumnFacts[]> {
  const described = JSON.parse(await ask(`DESCRIBE "${table}"`)) as {
    readonly column_name: string;
    readonly data_type: unknown;
  }[];
  const columns = described.flatMap(({ column_name: name, data_type: type }) => {
    const written = typeof type === 'string' ? type : JSON.stringify(type).replace(/^\W+/, '');
    const kind = KINDS.find(([pattern]) => pattern.test(written))?.[1] ?? 'other';
    return name === '_timestamp' ? [] : [{ name, kind }];
  });
  const found: ColumnFacts[] = [];
  for (let at = 0; at < columns.length; at += COLUMNS_AT_ONCE) {
    const some = columns.slice(at, at + COLUMNS_AT_ONCE);
    const list = some.flatMap(({ name, kind }, place) => {
      const column = `"${name.replaceAll('"', '""')}"`;
      return [`count(${column}) AS n${place}`, `${SUMS[kind](column)} AS s${place}`];
    });
    const text = await ask(`SELECT ${list.join(', ')} FROM "${table}"`);
    const [row = {}] = JSON.parse(text) as Record<string, number | null>[];
    for (const [place, { name, kind }] of some.entries())
      found.push({ name, kind, values: row[`n${place}`] ?? -1, sum: row[`s${place}`] ?? null });
  }
  return found;
}

const isNear = (a: number | null | undefined, b: number | null | undefined): boolean =>
  a === b || Math.abs((a ?? 0) - (b ?? 0)) <= RELATIVE * Math.max(Math.abs(a ?? 0), 1);

function differing(wanted: readonly ColumnFacts[], got: readonly ColumnFacts[]): string[] {
  const own = new Map(got.map((each) => [each.name, each]));
  const differences = wanted.flatMap((theirs) => {
    const ours = own.get(theirs.name);
    own.delete(theirs.name);
    if (!ours) return [`${theirs.name}: no such column (${theirs.kind})`];
    if (ours.kind !== theirs.kind) return [`${theirs.name}: ${ours.kind}, not ${theirs.kind}`];
    if (ours.values !== theirs.values)
      return [`${theirs.name}: ${ours.values} values, not ${theirs.values}`];
    const isSame = theirs.kind === 'other' || isNear(theirs.sum, ours.sum);
    return isSame ? [] : [`${theirs.name}: sum ${ours.sum}, not ${theirs.sum} (${ours.kind})`];
  });
  return [...differences, ...[...own.keys()].map((name) => `${name}: a column more`)];
}

function compared(packages: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-peoples-data-'));
  const script = join(import.meta.dirname, 'peoples-data.py');
  const printed = execFileSync(
    join(packages, 'bin/python'),
    [script, join(packages, 'lib'), String(BYTES_MAX), folder],
    { encoding: 'utf8', timeout: READING_MS, maxBuffer: PRINTED_MAX },
  );
  const files = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reading);
  let server: Server;
  let edge: Edge;
  beforeAll(async () => {
    [server, edge] = await Promise.all([
      startServer(),
      startEdge(['--table', 'cities=uk_cities_with_headers.csv']),
    ]);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all([server.stop(), edge.stop()]);
  });

  const hosted: Ask = async (sql) => {
    const { status, bytes } = await server.client.call('sql', { body: sql });
    if (status !== 200) throw new Error(`${status} ${bytes.toString()} for ${sql.slice(0, 200)}`);
    return bytes.toString();
  };
  const onEdge: Ask = async (sql) => {
    const { status, text } = await edge.sql(sql);
    if (status !== 200) throw new Error(`${status} ${text} for ${sql.slice(0, 200)}`);
    return text;
  };

  const upload = async ({ path, format }: Reading, table: string): Promise<string[]> => {
    const route = `${table}/${ROUTES[format]}?wait=true`;
    const { status, bytes } = await server.client.call(route, { body: readFileSync(path) });
    const text = bytes.toString();
    return status === 200 && text.includes('"failed":0') ? [] : [`${status} ${text.slice(0, 300)}`];
  };
  const register = async ({ path, format }: Reading, table: string): Promise<string[]> => {
    const option = format === 'tsv' ? ',format=csv,delimiter=tab' : `,format=${format}`;
    const body = [{ tableName: table, uri: `${path}${option}` }];
    const { status, text } = await edge.post('/api/table', body);
    return status === 200 ? [] : [`${status} ${text.slice(0, 300)}`];
  };

  it.each(files.map((file, at) => [basename(file.path), file, `t${at}`] as const))(
    'reads %s as DuckDB does',
    async (name, file, table) => {
      const known = KNOWN_DIFFERENCES.filter(([pattern]) => pattern.test(name));
      const expected = (text: string): boolean => known.some(([, what]) => what.test(text));
      const left: string[] = [];
      for (const [where, ask, bring] of [
        ['hosted', hosted, upload],
        ['edge', onEdge, register],
      ] as const) {
        const problems = await bring(file, table);
        const said =
          problems.length > 0 || file.columns === undefined
            ? problems
            : differing(file.columns, await facts(ask, table));
        left.push(...said.map((text) => `${where}: ${text}`).filter((text) => !expected(text)));
      }
      expect(left).toEqual([]);
    },
    RUN_MS,
  );
}

const packages = pythonPackages('peoples-data.txt');

describe('files that packages carry, as they are', () => {
  if (packages === undefined)
    it('are not read: the packages cannot be had here (python3, a registry of its packages)', () => {
      expect(packages).toBeUndefined();
    });
  else compared(packages);
});
