import { UNTYPED, type Column } from '@app/warehouse';
import { ColumnNeighbours } from './column-neighbours.js';
import {
  firstType,
  holdsBeyondFloat,
  isObject,
  isUntyped,
  widen,
  type Kinds,
  type Verbatim,
} from './column-types.js';
import { COLUMNS_MAX } from './declared-columns.js';
import { moreGiven, withGiven, type GivenColumn } from './given/source-types.js';
import { countPaths, morePaths, PATHS_MAX, withPaths, type ObjectColumn } from './object-paths.js';
import { fieldNameProblem } from './stream-name-rules.js';

/**
 * The number of listed fields without a value. Removing one costs the engine more time the more
 * there are, and tables of others wait meanwhile.
 */
export const UNTYPED_MAX = 100;

/** The kinds of values that were seen in each field. */
export type Survey = ReadonlyMap<string, Kinds>;

interface VerbatimColumn {
  readonly name: string;
  readonly of: Verbatim;
}

/** The columns that a stream has, and what is known about them. */
export interface Schema {
  /** They are without `_timestamp`. */
  readonly columns: readonly Column[];
  /**
   * Columns that never become floats. All other columns of integers contain none that a float would
   * round.
   */
  readonly exact: readonly string[];
  /** Columns of text whose values may have had other types, and are stored as they were written. */
  readonly verbatim: readonly VerbatimColumn[];
  /** Fields without a value so far. They are no columns until the first value gives them a type. */
  readonly untyped: readonly string[];
  /** The fields within columns of objects. Columns that are older than this list are not in it. */
  readonly objects: readonly ObjectColumn[];
  /** The types of columns of objects that their sources gave. */
  readonly given: readonly GivenColumn[];
  /** Counts schema changes. */
  readonly version: number;
}

/** A change of a schema. A field that is absent stays as it is. */
export interface SchemaChange {
  readonly added: readonly Column[];
  readonly widened: readonly Column[];
  /**
   * Columns of integers that keep that type, because they will get integers that floats would
   * round.
   */
  readonly exact?: readonly string[];
  readonly verbatim?: readonly VerbatimColumn[];
  readonly untyped?: readonly string[];
  /** Fields without a type that are no longer listed, because a column needs their place. */
  readonly withdrawn?: readonly string[];
  /** Columns of objects with those of their paths that are new, or have new kinds of values. */
  readonly objects?: readonly ObjectColumn[];
  /** Columns of objects whose given type is new, or is another one now. */
  readonly given?: readonly GivenColumn[];
  /** 1 for the first change. */
  readonly version: number;
}

export const NO_SCHEMA: Schema = {
  columns: [],
  exact: [],
  verbatim: [],
  untyped: [],
  objects: [],
  given: [],
  version: 0,
};

export function withChange(schema: Schema, change: SchemaChange): Schema {
  const { added, widened, exact = [], verbatim = [], untyped = [], withdrawn = [] } = change;
  const { objects = [], given = [] } = change;
  const types = new Map(widened.map(({ name, type }) => [name, type]));
  const gone = new Set([...added.map(({ name }) => name), ...withdrawn]);
  const kept = schema.columns.map(({ name, type }) => ({ name, type: types.get(name) ?? type }));
  return {
    columns: [...kept, ...added],
    exact: [...schema.exact, ...exact],
    verbatim: [...schema.verbatim, ...verbatim],
    untyped: [...schema.untyped.filter((name) => !gone.has(name)), ...untyped],
    objects: withPaths(schema.objects, objects),
    given: withGiven(schema.given, given),
    version: change.version,
  };
}

/** All columns that can be queried, in order, including fields without a value. */
export const listedColumns = ({
  columns,
  untyped,
}: Pick<Schema, 'columns' | 'untyped'>): readonly Column[] => [
  ...columns,
  ...untyped.map((name) => ({ name, type: UNTYPED })),
];

/** Tells whether the command would change anything. */
export const changesSchema = (schema: Schema, survey: Survey): boolean =>
  evolved(schema, survey) !== undefined;

/**
 * Finds the change of a schema by which a survey fits as far as it can.
 * @param released columns that were marked to keep their type, and need not any more
 */
export function evolved(
  schema: Schema,
  survey: Survey,
  released: readonly string[] = [],
): SchemaChange | undefined {
  const { columns, exact: known } = schema;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const neighbours = new ColumnNeighbours(columns);
  const added: Column[] = [];
  const widened: Column[] = [];
  const exact: string[] = [];
  const verbatim: VerbatimColumn[] = [];
  for (const [name, kinds] of survey) {
    const now = types.get(name);
    const wider = now === undefined ? undefined : widen(now, kinds);
    const isExact = known.includes(name) && !released.includes(name);
    if (isExact && (wider === undefined || wider.includes('Float'))) continue;
    const first = now === undefined ? firstType(kinds) : undefined;
    const type = first?.type ?? wider ?? now;
    if (type === undefined) continue;
    if (wider !== undefined) widened.push({ name, type });
    else if (first) {
      if (fieldNameProblem(name) !== undefined) continue;
      if (columns.length + added.length >= COLUMNS_MAX) continue;
      if (neighbours.problemWith({ name, type }) !== undefined) continue;
      added.push({ name, type });
      neighbours.add({ name, type });
      if (first.verbatim) verbatim.push({ name, of: first.verbatim });
    }
    if (holdsBeyondFloat(type, kinds)) exact.push(name);
  }
  const silent = [...survey].filter(([, kinds]) => isUntyped(kinds)).map(([name]) => name);
  const objects = pathsOf(schema.objects, added, survey);
  const given = moreGiven(schema, added, survey);
  const change = changeOf(schema, { added, widened, exact, verbatim, objects, given }, silent);
  const { untyped = [], withdrawn = [] } = change;
  const isAny = [added, widened, exact, untyped, withdrawn, objects, given].some(
    ({ length }) => length > 0,
  );
  return isAny ? change : undefined;
}

/**
 * The change that adds these columns. Fields without a type are listed if nothing conflicts with
 * them, and make room for columns, which have values.
 * @param silent fields with only nulls so far
 */
export function changeOf(
  schema: Schema,
  { added, widened, exact = [], verbatim = [], objects, given = [] }: Omit<SchemaChange, 'version'>,
  silent: readonly string[] = [],
): SchemaChange {
  const { untyped: before, version } = schema;
  const listed = untypedBeside([...schema.columns, ...added], [...before, ...silent]);
  const types = new Set(added.map(({ name }) => name));
  const untyped = listed.filter((name) => !before.includes(name));
  const withdrawn = before.filter((name) => !listed.includes(name) && !types.has(name));
  const within = objects ?? pathsOf(schema.objects, added, new Map());
  return {
    added,
    widened,
    ...(exact.length > 0 ? { exact } : {}),
    ...(verbatim.length > 0 ? { verbatim } : {}),
    ...(untyped.length > 0 ? { untyped } : {}),
    ...(withdrawn.length > 0 ? { withdrawn } : {}),
    ...(within.length > 0 ? { objects: within } : {}),
    ...(given.length > 0 ? { given } : {}),
    version: version + 1,
  };
}

/**
 * The paths of new columns, which have all their paths listed, and of columns that had it from
 * their beginning.
 */
function pathsOf(
  known: readonly ObjectColumn[],
  added: readonly Column[],
  survey: Survey,
): readonly ObjectColumn[] {
  const begun = added.filter(({ type }) => isObject(type)).map(({ name }) => ({ name, paths: [] }));
  const begins = new Set(begun.map(({ name }) => name));
  let room = PATHS_MAX - countPaths(known);
  return [...known, ...begun].flatMap((column) => {
    const more = morePaths(column, survey.get(column.name)?.keys() ?? [], room);
    const before = new Set(column.paths.map(({ path }) => path));
    room -= more?.paths.filter(({ path }) => !before.has(path)).length ?? 0;
    if (more) return [more];
    return begins.has(column.name) ? [column] : [];
  });
}

function untypedBeside(columns: readonly Column[], names: readonly string[]): readonly string[] {
  const known = new Set(columns.map(({ name }) => name));
  const neighbours = new ColumnNeighbours(columns);
  const listed: string[] = [];
  for (const name of names) {
    // The engine treats it as a column of text.
    const column = { name, type: 'Nullable(String)' };
    if (listed.length >= UNTYPED_MAX) break;
    if (known.has(name) || known.size >= COLUMNS_MAX) continue;
    if (fieldNameProblem(name) !== undefined) continue;
    if (neighbours.problemWith(column) !== undefined) continue;
    neighbours.add(column);
    known.add(name);
    listed.push(name);
  }
  return listed;
}

/**
 * The reasons why fields of a survey have not become columns, by field; empty if all possible ones
 * have.
 */
export function refusedFields(
  columns: readonly Column[],
  survey: Survey,
): ReadonlyMap<string, string> {
  const known = new Set(columns.map((column) => column.name));
  const neighbours = new ColumnNeighbours(columns);
  const refused = new Map<string, string>();
  for (const [name, kinds] of survey) {
    const type = firstType(kinds)?.type;
    if (known.has(name) || name === '_timestamp' || type === undefined) continue;
    refused.set(
      name,
      fieldNameProblem(name) ??
        neighbours.problemWith({ name, type }) ??
        `is beyond the ${COLUMNS_MAX} columns a stream can have`,
    );
  }
  return refused;
}
