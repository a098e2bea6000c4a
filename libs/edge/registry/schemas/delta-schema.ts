import { WarehouseError, type SourceEngine } from '@app/warehouse';
import type { Source } from '../../sources/source.js';

type Log = NonNullable<Source['deltaLog']>;
type Statements = SourceEngine['statements'];

/** A type of Delta Lake, as its schema has it. */
export type DeltaType = string | { readonly [key: string]: unknown };

interface DeltaSchema {
  readonly fields: readonly { readonly name: string; readonly type: DeltaType }[];
}

/** The types of a Delta table's columns by their names; empty where nobody finds them out. */
export async function deltaTypes(
  log: Log,
  statements: Statements,
): Promise<ReadonlyMap<string, DeltaType>> {
  const schema = await schemaOf(log, statements).catch((error: unknown) => {
    if (error instanceof WarehouseError || error instanceof SyntaxError) return undefined;
    throw error;
  });
  return new Map(schema?.fields.map(({ name, type }) => [name, type]));
}

/** The types directly within a type. */
export function typesWithin(type: DeltaType): readonly DeltaType[] {
  if (typeof type === 'string') return [];
  const fields = (type['fields'] ?? []) as DeltaSchema['fields'];
  const within = ['keyType', 'valueType', 'elementType'].map((key) => type[key] as DeltaType);
  return [...fields.map((field) => field.type), ...within.filter((each) => each)];
}

/** The newest schema: one of a commit, where none of a later checkpoint is there. */
async function schemaOf(
  log: Log,
  statements: Statements,
): Promise<DeltaSchema | undefined> {
  const newest = async (text: string, call: string, condition: string): Promise<readonly string[]> => {
    const sql = `SELECT _file, ${text} FROM ${call} WHERE ${condition} ORDER BY _file DESC LIMIT 1 FORMAT JSONCompactEachRow`;
    const row = await statements.run(sql);
    return row === '' ? [] : (JSON.parse(row) as readonly string[]);
  }; // prettier-ignore
  const checkpoints = log('*.checkpoint*.parquet', 'Parquet', 'metaData Tuple(schemaString Nullable(String))');
  const schemaText = 'metaData.schemaString';
  // There may be none.
  const [kept = '', ofCheckpoint] = await newest(schemaText, checkpoints, `isNotNull(${schemaText})`).catch(() => []);
  const commits = log('*.json', 'LineAsString', 'line String');
  const isLater = `_file > '${/^\d*/.exec(kept)?.[0] ?? ''}'`;
  const [, line] = await newest('line', commits, `${isLater} AND JSONHas(line, 'metaData')`);
  const ofCommit = line === undefined ? undefined : (JSON.parse(line) as { readonly metaData: { readonly schemaString: string } });
  const found = ofCommit?.metaData.schemaString ?? ofCheckpoint;
  return found === undefined ? undefined : (JSON.parse(found) as DeltaSchema);
} // prettier-ignore
