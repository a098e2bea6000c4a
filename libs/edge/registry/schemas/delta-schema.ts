import { WarehouseError, type SourceEngine } from '@app/warehouse';
import type { Source } from '../../sources/source.js';

type Log = NonNullable<Source['deltaLog']>;
type Statements = SourceEngine['statements'];

/** A type of Delta Lake, as its schema has it. */
export type DeltaType = string | { readonly [key: string]: unknown };

interface DeltaSchema {
  readonly fields: readonly { readonly name: string; readonly type: DeltaType }[];
}

interface MetaData {
  readonly schemaString: string;
  readonly partitionColumns?: readonly string[];
}

/** The newest file of a log that has what is asked for, with that. */
type Found = readonly [file: string, text: string, partitions?: readonly string[]] | readonly [];

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
  const newest = async (text: string, call: string, condition: string): Promise<Found> => {
    const sql = `SELECT _file, ${text} FROM ${call} WHERE ${condition} ORDER BY _file DESC LIMIT 1 FORMAT JSONCompactEachRow`;
    const row = await statements.run(sql);
    return row === '' ? [] : (JSON.parse(row) as Found);
  }; // prettier-ignore
  const checkpoints = log('*.checkpoint*.parquet', 'Parquet', 'metaData Tuple(schemaString Nullable(String), partitionColumns Array(Nullable(String)))');
  const schemaText = 'metaData.schemaString';
  // There may be none.
  const [kept = '', ofCheckpoint, partitions = []] = await newest(`${schemaText}, metaData.partitionColumns`, checkpoints, `isNotNull(${schemaText})`).catch((): Found => []);
  const commits = log('*.json', 'LineAsString', 'line String');
  const isLater = `_file > '${/^\d*/.exec(kept)?.[0] ?? ''}'`;
  const [, line] = await newest('line', commits, `${isLater} AND JSONHas(line, 'metaData')`);
  const ofCommit = line === undefined ? undefined : (JSON.parse(line) as { readonly metaData: MetaData }).metaData;
  const found = ofCommit?.schemaString ?? ofCheckpoint;
  if (found === undefined) return undefined;
  // The log has bytes of partitions as a text, with escapes such as \u00ff, which the engine leaves.
  const asText = new Set(ofCommit ? ofCommit.partitionColumns : partitions);
  const { fields } = JSON.parse(found) as DeltaSchema;
  return { fields: fields.map((each) => (asText.has(each.name) && each.type === 'binary' ? { ...each, type: 'string' } : each)) };
} // prettier-ignore
