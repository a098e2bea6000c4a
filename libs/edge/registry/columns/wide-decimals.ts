import { areWide, bytesType, decimalOfBytes, refuseTooWide, typeOfBytes, type DecimalBytes } from '@app/parquet'; // prettier-ignore
import { certain } from '@app/platform';
import { quoteIdentifier, type Column } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';
import type { ComputedColumn } from './computed-column.js';
import { withLeaves } from './with-leaves.js';

/** Decimals of files. `areBytes`: they must be read as bytes, whether they have more than they need or not. */
export type FoundDecimal = DecimalBytes & { readonly areBytes?: true };
/** The decimals of a table's files by the paths of their columns; undefined: files have them in several ways, or nobody can tell. */
export type DecimalPaths = ReadonlyMap<string, FoundDecimal | undefined>;

const DECIMAL = /\bDecimal\((\d+), (\d+)\)/g;
const mustBeBytes = (decimal: FoundDecimal): boolean => decimal.areBytes ?? areWide(decimal);

/**
 * Says how to read the columns whose decimals have more bytes than their digits need: as bytes, which
 * become decimals. Within lists, structs and maps, too.
 * @throws {SourceError} that names the column, where files have its decimals in several ways
 */
export function wideDecimals(
  columns: readonly Column[],
  decimals: DecimalPaths,
): ReadonlyMap<string, ComputedColumn> {
  const byColumn = new Map<string, [path: string, decimal: FoundDecimal | undefined][]>();
  const names = new Set(columns.map(({ name }) => name));
  for (const [path, decimal] of decimals) {
    const name = columnOf(path, names) ?? '';
    byColumn.set(name, [...(byColumn.get(name) ?? []), [path, decimal]]);
  }
  const computed = new Map<string, ComputedColumn>();
  for (const column of columns) {
    const own = byColumn.get(column.name) ?? [];
    if (own.every(([, decimal]) => decimal && !mustBeBytes(decimal))) continue;
    computed.set(column.name, ofBytes(column, own));
  }
  return computed;
}

/** Finds the column of a path in a file. Names may have points, too: the longest one is the column's. */
export function columnOf(path: string, names: ReadonlySet<string>): string | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
    if (names.has(path.slice(0, end))) return path.slice(0, end);
  return undefined;
}

function ofBytes(
  { name, type }: Column,
  own: readonly (readonly [path: string, decimal: FoundDecimal | undefined])[],
): ComputedColumn {
  const decimals = own.map(([, decimal]) => {
    if (!decimal) throw inSeveralWays(name);
    return decimal;
  });
  const [first] = own;
  if (decimals.length === 1 && first?.[0] === name) {
    const decimal = certain(decimals[0], 'decimals of the column');
    refuseTooWide(name, decimal, 'Parquet');
    const value = decimalOfBytes(quoteIdentifier(name), decimal);
    return { readAs: nullable(bytesType(decimal)), type: nullable(typeOfBytes(decimal)), value };
  }
  const told = [...type.matchAll(DECIMAL)];
  const isTold = told.length === decimals.length && told.every(([, precision, scale], at) =>
    decimals[at]?.precision === Number(precision) && decimals[at].scale === Number(scale)); // prettier-ignore
  if (!isTold) throw inSeveralWays(name);
  for (const decimal of decimals) if (mustBeBytes(decimal)) refuseTooWide(name, decimal, 'Parquet');
  // Undefined stands for those that the engine reads right by itself.
  const asBytes = decimals.map((decimal) => (mustBeBytes(decimal) ? decimal : undefined));
  let at = -1;
  const readAs = type.replace(DECIMAL, (plain) => {
    at += 1;
    const decimal = asBytes[at];
    return decimal ? bytesType(decimal) : plain;
  });
  // The value is cast to the type that is served, which names the fields of structs.
  const decimal = asBytes.values();
  const value = withLeaves(quoteIdentifier(name), type, (leaf, { name: kind }) => {
    if (kind !== 'Decimal') return leaf;
    const bytes = decimal.next().value;
    return bytes ? decimalOfBytes(leaf, bytes) : leaf;
  });
  return { readAs, type: '', value };
}

const nullable = (type: string): string => `Nullable(${type})`;

const inSeveralWays = (column: string): SourceError =>
  new SourceError(
    `column ${JSON.stringify(column)} has decimals in more bytes than their digits need, and in one file in others than in another, or no statistics that tell how many: write the files anew, or leave the column out by \`schema\``,
  );
