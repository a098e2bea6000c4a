import { join } from 'node:path';
import { byteColumns } from '@app/parquet';
import type { Column, SourceEngine } from '@app/warehouse';
import { engineType } from '../../arrow-data-type.js';
import { answeredRows } from '../../sources/answered-rows.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { settingsClause, type Source } from '../../sources/source.js';
import type { DescribedTable } from '../../table-description.js';
import { bytesTogether, withBytes, type ByteLeaves } from './byte-leaves.js';
import { deltaTypes, typesWithin, type DeltaType } from './delta-schema.js';
import { schemaOfFile } from './schema-of-file.js';
import { columnOf } from './wide-decimals.js';

type Statements = SourceEngine['statements'];

/** The most files of a lake that are looked at. */
const FILES_MAX = 1_000;
const MAY_BE_BYTES = /\b(?:Fixed)?String\b/;

/**
 * The columns with the type of bytes where their source has bytes: the engine has one type for these
 * and for texts.
 * @param seen what a look at the files has told; undefined: nobody has looked
 */
export async function columnsWithBytes(
  columns: readonly Column[],
  { columns: declared, followed }: Pick<DescribedTable, 'columns' | 'followed'>,
  seen: ByteLeaves | undefined,
  source: Source,
  statements: Statements,
): Promise<readonly Column[]> {
  // Texts that are parsed have no bytes, and the rows of a followed stream have base64.
  if (source.inferred || followed || !columns.some(({ type }) => MAY_BE_BYTES.test(type)))
    return columns;
  if (declared) {
    const told = new Map(declared.map((each) => [each.name, engineType(each.dataType, each.nullable, true)])); // prettier-ignore
    const plain = new Map(declared.map((each) => [each.name, engineType(each.dataType, each.nullable)])); // prettier-ignore
    return columns.map((column) => {
      const { name, type } = column;
      return type === plain.get(name) ? { name, type: told.get(name) ?? type } : column;
    });
  }
  const leaves = seen ?? (await farBytes(columns, source, statements));
  if (leaves.size === 0) return columns;
  return columns.map(({ name, type }) => ({ name, type: withBytes(type, leaves.get(name) ?? []) }));
}

/** Finds the bytes of files that nobody looks into here: those elsewhere, and those of lakes. */
async function farBytes(
  columns: readonly Column[],
  source: Source,
  statements: Statements,
): Promise<ByteLeaves> {
  const { deltaLog, lakeFooters, footers = lakeFooters, settings } = source;
  if (deltaLog) {
    const types = await deltaTypes(deltaLog, statements);
    return bytesTogether([new Map([...types].map(([name, type]) => [name, leavesOf(type)]))]);
  }
  if (footers === undefined) return new Map();
  if (footers === 'here') {
    const found: ReturnType<typeof byteColumns>[] = [];
    for (const path of await listedPaths(source.call(undefined), statements, FILES_MAX))
      found.push(byteColumns(await schemaOfFile(join('/', path))));
    return bytesTogether(found);
  }
  const names = new Set(columns.map(({ name }) => name));
  const sql = `SELECT DISTINCT arrayMap(c -> (tupleElement(c, 'path'), ${ARE_BYTES}), columns) AS leaves FROM ${footers} WHERE arrayExists(leaf -> leaf.2, leaves)${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const rows = answeredRows<readonly [readonly FarLeaf[]]>(await statements.run(sql));
  return bytesTogether(rows.map(([leaves]) => byColumn(leaves, names)));
}

type FarLeaf = readonly [path: string, areBytes: number | boolean];

const ARE_BYTES = `endsWith(tupleElement(c, 'physical_type'), 'BYTE_ARRAY') AND match(tupleElement(c, 'logical_type'), '^(?:None|BSON|Geo)')`;

function byColumn(
  leaves: readonly FarLeaf[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly boolean[]> {
  const found = new Map<string, boolean[]>();
  for (const [path, areBytes] of leaves) {
    const name = columnOf(path, names) ?? '';
    const own = found.get(name) ?? [];
    own.push(Boolean(areBytes));
    found.set(name, own);
  }
  return found;
}

function leavesOf(type: DeltaType): readonly boolean[] {
  const within = typesWithin(type);
  return within.length > 0 ? within.flatMap(leavesOf) : [type === 'binary'];
}
