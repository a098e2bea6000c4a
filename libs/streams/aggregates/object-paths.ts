/** The kinds of values at a path within a column of objects. */
interface ObjectPath {
  /** Keys with dots between them. No key contains a dot itself. */
  readonly path: string;
  /** The kinds of values, as surveys of columns name them; objects and nulls are not listed. */
  readonly kinds: readonly string[];
}

/** A column of objects whose paths have all been listed, from its first value on. */
export interface ObjectColumn {
  readonly name: string;
  readonly paths: readonly ObjectPath[];
  /**
   * `crowded`: more keys came at once than can be told apart, so those that are not listed yet
   * never will be. `untold`: objects came whose contents are unknown, so no path has a type.
   */
  readonly limit?: PathLimit;
}

type PathLimit = 'crowded' | 'untold';

/** The number of listed paths of a stream. Further fields are stored, but have no type. */
export const PATHS_MAX = 1000;
/** The depth of a listed path. */
export const PATH_DEPTH_MAX = 10;
export const PATH_BYTES_MAX = 256;
/**
 * Matches keys for which no path is listed. The engine writes a dot within a key differently, and
 * an empty key, or one with characters that have a meaning in statements, cannot be named.
 */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
export const PATH_PROBLEM = /^$|[.%`"'\\^:[\]\u0000-\u001f\u007f]/;

/** Such kinds contain colons, and no key of a listed path does. */
const WITHIN = /^within ([^:]*): (.*)$/s;

/** An additional kind: objects with a value of a kind at a path. It says nothing about a type. */
export const within = (path: string, kind: string): string => `within ${path}: ${kind}`;
/** An additional kind: objects whose paths are not all known. */
export const limitedWithin = (limit: PathLimit): string => within('', limit);
/**
 * The kinds that a float may have in JSON: an integer, a fraction, or the text of one that JSON has
 * no number for.
 */
export const WRITTEN_FLOAT = 'written float';

/** Tells whether a survey has fields within objects. */
export const hasPaths = (kinds: ReadonlyMap<string, number>): boolean =>
  [...kinds.keys()].some((kind) => WITHIN.test(kind));

/**
 * Finds the paths that were seen in a column and are missing in its list.
 * @param kinds of the column's survey
 * @param room how many paths may be added
 */
export function morePaths(
  column: ObjectColumn,
  kinds: Iterable<string>,
  room: number,
): ObjectColumn | undefined {
  if (column.limit === 'untold') return undefined;
  const known = new Map(column.paths.map(({ path, kinds: listed }) => [path, listed]));
  const found = new Map<string, Set<string>>();
  let limit = column.limit as PathLimit | undefined;
  let left = room;
  for (const each of kinds) {
    const [, path, kind] = WITHIN.exec(each) ?? [];
    if (path === undefined || kind === undefined || known.get(path)?.includes(kind)) continue;
    if (path === '') limit = limit !== 'untold' && kind === 'crowded' ? kind : 'untold';
    else if (known.has(path) || found.has(path) || (!column.limit && isListed(path, left))) {
      if (!known.has(path) && !found.has(path)) left -= 1;
      found.set(path, (found.get(path) ?? new Set(known.get(path))).add(kind));
    }
  }
  if (limit === 'untold') return { name: column.name, paths: [], limit };
  if (found.size === 0 && limit === column.limit) return undefined;
  const paths = [...found].map(([path, all]) => ({ path, kinds: [...all].sort() }));
  return { name: column.name, paths, ...(limit ? { limit } : {}) };
}

const isListed = (path: string, room: number): boolean =>
  room > 0 && Buffer.byteLength(path) <= PATH_BYTES_MAX;

/** The columns with the results of the survey. */
export function withPaths(
  columns: readonly ObjectColumn[],
  more: readonly ObjectColumn[],
): readonly ObjectColumn[] {
  if (more.length === 0) return columns;
  const listed = new Map(columns.map((column) => [column.name, column]));
  for (const { name, paths, limit: to } of more) {
    const now = listed.get(name);
    const limit = to ?? now?.limit;
    const all = new Map(
      limit === 'untold' ? [] : now?.paths.map(({ path, kinds }) => [path, kinds]),
    );
    for (const { path, kinds } of paths) all.set(path, kinds);
    listed.set(name, {
      name,
      paths: [...all].map(([path, kinds]) => ({ path, kinds })),
      ...(limit ? { limit } : {}),
    });
  }
  return [...listed.values()];
}

export const countPaths = (columns: readonly ObjectColumn[]): number =>
  columns.reduce((sum, { paths }) => sum + paths.length, 0);
