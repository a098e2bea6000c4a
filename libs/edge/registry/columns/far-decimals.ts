import { decimalColumns, type DecimalBytes } from '@app/parquet';
import {
  quoteIdentifier,
  quoteText,
  WarehouseError,
  type Column,
  type SourceEngine,
} from '@app/warehouse';
import { settingsClause, type Source } from '../../sources/source.js';
import type { DecimalPaths, FoundDecimal } from './wide-decimals.js';
import { togetherOf } from './decimals-of-files.js';
import { FILES_MAX, schemasOfLake } from '../schemas/schema-of-file.js';
import { answeredRows } from '../../sources/answered-rows.js';

const WIDEST = 32;

type Statements = SourceEngine['statements'];

/**
 * Finds the decimals of Parquet files that nobody looks into here: those elsewhere, and those of
 * lakes. The engine tells the bytes of a value only by statistics. Without these they are found by
 * trying.
 * @param isDeclared the columns are not those that the engine describes, and there may be no file yet
 */
export async function farDecimals(
  { columns, isDeclared }: { readonly columns: readonly Column[]; readonly isDeclared: boolean },
  source: Source,
  statements: Statements,
): Promise<DecimalPaths> {
  const { lakeFooters, footers = lakeFooters } = source;
  const mayBe = isDeclared || columns.some(({ type }) => type.includes('Decimal('));
  if (footers === undefined || !mayBe) return new Map();
  if (lakeFooters === 'here')
    return togetherOf((await schemasOfLake(source, statements)).map(decimalColumns));
  const ask = (of: string): Promise<readonly Told[]> => toldBy(of, source, statements);
  const told = await (lakeFooters === undefined
    ? ask(footers).catch((error: unknown) => {
        if (isDeclared && error instanceof WarehouseError) return [];
        throw error;
      })
    : toldOfLake(footers, { ask, source, statements }));
  const files: Map<string, FoundDecimal>[] = [];
  const unknown: [string, undefined][] = [];
  for (const { path, isTold, decimal } of told) {
    const bytes = isTold ? decimal.bytes : await tried(path, { columns, source, statements });
    if (bytes === undefined) unknown.push([path, undefined]);
    // Another file may have other ones; the engine reports that if it reads bytes.
    else files.push(new Map([[path, { ...decimal, bytes, ...(!isTold && { areBytes: true }) }]]));
  }
  return new Map([...togetherOf(files), ...unknown]);
}

/** The decimals of a lake's files in its folder; of all files there, where its own are not found. */
async function toldOfLake(
  footers: string,
  { ask, source, statements }: { readonly ask: (of: string) => Promise<readonly Told[]>; readonly source: Source; readonly statements: Statements }, // prettier-ignore
): Promise<readonly Told[]> {
  const lines = await statements.run(`SELECT DISTINCT _file FROM ${source.call(undefined)} LIMIT ${FILES_MAX}${settingsClause(source.settings)} FORMAT JSONCompactEachRow`); // prettier-ignore
  const names = answeredRows<readonly [string]>(lines).map(([name]) => name);
  if (names.length === 0) return [];
  const told = await ask(`${footers} WHERE _file IN (${names.map(quoteText).join(', ')})`);
  return told.length > 0 ? told : ask(footers);
}

interface Told {
  readonly path: string;
  /** The number of bytes is known. */
  readonly isTold: boolean;
  readonly decimal: DecimalBytes;
}

const PHYSICAL: Readonly<Record<string, Pick<DecimalBytes, 'bytes' | 'isLowFirst'>>> = {
  INT32: { bytes: 4, isLowFirst: true },
  INT64: { bytes: 8, isLowFirst: true },
  BYTE_ARRAY: { bytes: 0, isLowFirst: false },
};

/** Each decimal of each file, once for each way in which files have it. */
async function toldBy(
  footers: string,
  { settings }: Source,
  statements: Statements,
): Promise<readonly Told[]> {
  const own = "arrayFirst(each -> tupleElement(each, 'path') = path, tupleElement(g, 'columns'))";
  const most = `ifNull(tupleElement(tupleElement(${own}, 'statistics'), 'max'), '')`;
  // Bytes are shown as numbers with a blank behind each.
  const size = `arrayMax(arrayMap(g -> countSubstrings(${most}, ' '), row_groups))`;
  const [path, physical, logical] = ['path', 'physical_type', 'logical_type'].map((each) => `tupleElement(c, '${each}')`); // prettier-ignore
  const told = `SELECT ${path} AS path, ${physical} AS physical, ${logical} AS logical, at, ${size} AS size FROM (SELECT columns, row_groups, num_rows FROM ${footers}) ARRAY JOIN columns AS c, arrayEnumerate(columns) AS at WHERE num_rows > 0 AND startsWith(logical, 'Decimal(')`;
  const sql = `SELECT path, physical, logical, size FROM (${told}) GROUP BY ALL ORDER BY min(at)${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const rows = answeredRows<[string, string, string, string | number]>(await statements.run(sql));
  return rows.map(([path, physical, logical, size]): Told => {
    const [precision = 0, scale = 0] = (logical.match(/\d+/g) ?? []).map(Number);
    const known = PHYSICAL[physical];
    const bytes = known ?? { bytes: Number(size), isLowFirst: false };
    return { path, isTold: known !== undefined || bytes.bytes > 0, decimal: { ...bytes, precision, scale } }; // prettier-ignore
  });
}

/**
 * The engine refuses to read a value as bytes of another number.
 * @returns undefined where it is none, or within others
 */
async function tried(
  path: string,
  { columns, source, statements }: { readonly columns: readonly Column[]; readonly source: Source; readonly statements: Statements }, // prettier-ignore
): Promise<number | undefined> {
  if (!columns.some(({ name }) => name === path)) return undefined;
  for (let bytes = 1; bytes <= WIDEST; bytes += 1) {
    const call = source.call([{ name: path, type: `Nullable(FixedString(${bytes}))` }]);
    try {
      await statements.run(`SELECT ${quoteIdentifier(path)} FROM ${call} LIMIT 1${settingsClause(source.settings)} FORMAT Null`); // prettier-ignore
      return bytes;
    } catch (error) {
      if (!(error instanceof WarehouseError) || !/CAST AS FixedString/.test(error.message)) throw error; // prettier-ignore
    }
  }
  return undefined;
}
