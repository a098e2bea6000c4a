import { WarehouseError, type Column, type SourceEngine } from '@app/warehouse';
import type { Source } from '../../sources/source.js';

const TIME = /\bDateTime64\(6\)/g;
/** A type of Delta Lake, as its schema has it. */
type DeltaType = string | { readonly [key: string]: unknown };

/**
 * Gives moments of a Delta table their zone. The engine makes the same of them and of times without a
 * zone; the table's log says which are which. Where nobody finds that out, they stay as they are.
 */
export async function withMoments(
  columns: readonly Column[],
  { deltaLog }: Pick<Source, 'deltaLog'>,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  if (!deltaLog || !columns.some(({ type }) => type.includes('DateTime64(6)'))) return columns;
  const schema = await schemaOf(deltaLog, statements).catch((error: unknown) => {
    if (error instanceof WarehouseError || error instanceof SyntaxError) return undefined;
    throw error;
  });
  const types = new Map((schema?.fields ?? []).map(({ name, type }) => [name, timesWithin(type)]));
  return columns.map(({ name, type }) => ({ name, type: zoned(type, types.get(name) ?? []) }));
}

interface DeltaSchema {
  readonly fields: readonly { readonly name: string; readonly type: DeltaType }[];
}

/** The newest schema: one of a commit, where none of a later checkpoint is there. */
async function schemaOf(
  log: NonNullable<Source['deltaLog']>,
  statements: SourceEngine['statements'],
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

/** Tells of each time within a type, in their order, whether it is a moment. */
function timesWithin(type: DeltaType): readonly boolean[] {
  if (type === 'timestamp') return [true];
  if (type === 'timestamp_ntz') return [false];
  if (typeof type === 'string') return [];
  const fields = (type['fields'] ?? []) as DeltaSchema['fields'];
  const within = ['keyType', 'valueType', 'elementType'].map((key) => type[key] as DeltaType);
  return [...fields.map((field) => field.type), ...within.filter((each) => each)].flatMap(
    timesWithin,
  );
}

function zoned(type: string, areMoments: readonly boolean[]): string {
  if (type.match(TIME)?.length !== areMoments.length) return type;
  let at = 0;
  return type.replace(TIME, (time: string) => {
    const isMoment = areMoments[at];
    at += 1;
    return isMoment ? "DateTime64(6, 'UTC')" : time;
  });
}
