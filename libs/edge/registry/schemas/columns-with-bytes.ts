import { byteColumns, type ByteLeaf } from '@app/parquet';
import {
  writeBinaryType,
  writeRawBinaryType,
  type Column,
  type SourceEngine,
} from '@app/warehouse';
import { engineType } from '../../arrow-data-type.js';
import { answeredRows } from '../../sources/answered-rows.js';
import { settingsClause, type Source } from '../../sources/source.js';
import type { DescribedTable } from '../../table-description.js';
import { bytesTogether, withBytes, type BytesOfFile, type ByteLeaves } from './byte-leaves.js';
import { deltaTypes, typesWithin, type DeltaType } from './delta-schema.js';
import { schemasOfLake } from './schema-of-file.js';
import { columnOf } from '../columns/wide-decimals.js';

type Statements = SourceEngine['statements'];

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
  // Texts that are parsed have no bytes.
  if (source.inferred || !columns.some(({ type }) => MAY_BE_BYTES.test(type))) return columns;
  if (declared) {
    // The rows of a followed stream have base64.
    const bytes = followed ? writeBinaryType({}) : writeRawBinaryType({});
    const told = new Map(declared.map(({ name, dataType, nullable }) => [name, [engineType(dataType, nullable), engineType(dataType, nullable, bytes)]])); // prettier-ignore
    return columns.map(({ name, type }) => {
      const [plain, marked = type] = told.get(name) ?? [];
      return { name, type: type === plain ? marked : type };
    });
  }
  const leaves = seen ?? (await farBytes(columns, source, statements));
  if (leaves.size === 0) return columns;
  return columns.map((column) => withBytes(column, leaves));
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
  if (footers === 'here')
    return bytesTogether((await schemasOfLake(source, statements)).map(byteColumns));
  const names = new Set(columns.map(({ name }) => name));
  const told = `arrayMap(c -> (tupleElement(c, 'path'), ${LEAF}), columns) AS leaves`;
  const sql = `SELECT DISTINCT ${told} FROM ${footers} WHERE arrayExists(leaf -> leaf.2 != 'none', leaves)${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const rows = answeredRows<readonly [readonly FarLeaf[]]>(await statements.run(sql));
  return bytesTogether(rows.map(([leaves]) => byColumn(leaves, names)));
}

type FarLeaf = readonly [path: string, leaf: ByteLeaf];

/** SQL of what a column of a footer is. */
const LEAF = `if(match(tupleElement(c, 'logical_type'), '^(?:None|BSON|Geo)'), transform(tupleElement(c, 'physical_type'), ['BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'], ['any', 'fixed'], 'none'), 'none')`;

function byColumn(leaves: readonly FarLeaf[], names: ReadonlySet<string>): BytesOfFile {
  const found = new Map<string, ByteLeaf[]>();
  for (const [path, leaf] of leaves) {
    const name = columnOf(path, names) ?? '';
    const own = found.get(name);
    if (own) own.push(leaf);
    else found.set(name, [leaf]);
  }
  return new Map([...found].filter(([, all]) => all.some((leaf) => leaf !== 'none')));
}

function leavesOf(type: DeltaType): readonly ByteLeaf[] {
  const within = typesWithin(type);
  return within.length > 0 ? within.flatMap(leavesOf) : [type === 'binary' ? 'any' : 'none'];
}
