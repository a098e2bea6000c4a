import { quoteIdentifier } from '@app/warehouse';
import { beyondFloat } from './column-types.js';
import { WRITTEN_FLOAT, type ObjectColumn } from './object-paths.js';

/** The way to read the values at a path within objects, all of them as one type. */
interface PathValue {
  /** The type of a column with these values. */
  readonly type: string;
  /** @param path SQL of the path, as `k.n` */
  readonly write: (path: string) => string;
}

/** A field within the objects of a column. */
export interface PathField extends PathValue {
  /** The name as in `k.n`. */
  readonly name: string;
  readonly column: string;
  readonly keys: readonly string[];
}

const [INTS, FLOATS] = ['Array(Nullable(Int64))', 'Array(Nullable(Float64))'];
const UNTOLD = ['Array(Dynamic)', 'Array(JSON)'];
const EMPTY = 'Array(Nothing)';

/** SQL that gives the values of this type; null, or an empty list, for a value of another type. */
const of = (path: string, type: string): string => `${path}.:${quoteIdentifier(type)}`;
/** Reading by a type and a cast to it cost almost nothing, because the value has just been read. */
const as = (path: string, type: string, to: string): string =>
  `CAST(${of(path, type)}, 'Nullable(${to})')`;

const plain = (type: string): PathValue => ({
  type: type.startsWith('Array(') ? type : `Nullable(${type})`,
  write: (path) => of(path, type),
});

/** Values of several kinds become text: a text stays as it is, and any other value becomes JSON. */
const text = (hasLists: boolean): PathValue => ({
  type: 'Nullable(String)',
  write: (path) => {
    const single = `CAST(${path}, 'Nullable(String)')`;
    return hasLists
      ? `if(startsWith(dynamicType(${path}), 'Array'), toJSONString(${path}), ${single})`
      : single;
  },
});

const WRITTEN_FLOATS: PathValue = {
  type: 'Nullable(Float64)',
  write: (path) =>
    `coalesce(${of(path, 'Float64')}, ${as(path, 'Int64', 'Float64')}, ${as(path, 'UInt64', 'Float64')}, toFloat64OrNull(${of(path, 'String')}))`,
};

const FLOATS_AND_INTEGERS: PathValue = {
  type: 'Nullable(Float64)',
  write: (path) => `ifNull(${of(path, 'Float64')}, ${as(path, 'Int64', 'Float64')})`,
};

const WIDE = 'Decimal(20, 0)';
const ALL_INTEGERS: PathValue = {
  type: `Nullable(${WIDE})`,
  write: (path) => `ifNull(${as(path, 'Int64', WIDE)}, ${as(path, 'UInt64', WIDE)})`,
};

const LISTS_OF_NUMBERS: PathValue = {
  type: FLOATS,
  write: (path) =>
    `if(notEmpty(${of(path, FLOATS)}), ${of(path, FLOATS)}, CAST(${of(path, INTS)}, '${FLOATS}'))`,
};

/**
 * The type that holds all values of these kinds, so that none reads as null. It is undefined for
 * lists of several kinds and for lists of objects, which stay as they came.
 */
export function pathValue(kinds: readonly string[]): PathValue | undefined {
  const values = kinds.filter((kind) => kind !== EMPTY && !kind.startsWith(beyondFloat('')));
  const lists = values.filter((kind) => kind.startsWith('Array('));
  const singles = values.filter((kind) => !lists.includes(kind));
  if (singles.length > 0)
    return singles.length === values.length && !kinds.includes(EMPTY)
      ? ofSingles(singles, kinds)
      : text(true);
  if (lists.some((kind) => UNTOLD.includes(kind))) return undefined;
  const [only, other, ...more] = lists;
  if (only === undefined) return undefined;
  if (other === undefined) return plain(only);
  const areNumbers = more.length === 0 && lists.includes(INTS) && lists.includes(FLOATS);
  return areNumbers && !kinds.includes(beyondFloat(INTS)) ? LISTS_OF_NUMBERS : undefined;
}

function ofSingles(singles: readonly string[], kinds: readonly string[]): PathValue {
  const [only = 'String', other] = singles;
  const areAll = (...types: readonly string[]): boolean =>
    singles.every((kind) => types.includes(kind));
  const isExact = !kinds.includes(beyondFloat('Int64'));
  if (areAll(WRITTEN_FLOAT)) return WRITTEN_FLOATS;
  if (other === undefined) return plain(only);
  if (areAll('Int64', 'UInt64')) return ALL_INTEGERS;
  if (areAll('Int64', 'Float64') && isExact) return FLOATS_AND_INTEGERS;
  return areAll('Int64', 'Float64', WRITTEN_FLOAT) && isExact ? WRITTEN_FLOATS : text(false);
}

/** A cache of the fields by their list, which is a new list after each change. */
const known = new WeakMap<readonly ObjectColumn[], readonly PathField[]>();

/** The fields within objects that have a type, like columns. */
export function pathFields(objects: readonly ObjectColumn[]): readonly PathField[] {
  const fields =
    known.get(objects) ??
    objects.flatMap(({ name, paths }) =>
      paths.flatMap(({ path, kinds }) => {
        const value = pathValue(kinds);
        return value
          ? [{ ...value, name: `${name}.${path}`, column: name, keys: path.split('.') }]
          : [];
      }),
    );
  known.set(objects, fields);
  return fields;
}

/** SQL of a field within objects, by its own column. */
export const sqlOfField = ({ column, keys, write }: PathField): string =>
  write([column, ...keys].map(quoteIdentifier).join('.'));
