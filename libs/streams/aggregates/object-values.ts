import { quoteIdentifier } from '@app/warehouse';
import { beyondFloat } from './column-types.js';
import { WRITTEN_FLOAT, type ObjectColumn } from './object-paths.js';

/** Tells how the values at a path within objects are read, all of them with one type. */
interface PathValue {
  /** The type of a column that would hold them. */
  readonly type: string;
  /** @param path SQL of the path, as `k.n` */
  readonly write: (path: string) => string;
}

/** A field within the objects of a column. */
export interface PathField extends PathValue {
  /** `k.n` */
  readonly name: string;
  readonly column: string;
  readonly keys: readonly string[];
}

const [INTS, FLOATS] = ['Array(Nullable(Int64))', 'Array(Nullable(Float64))'];
const UNTOLD = ['Array(Dynamic)', 'Array(JSON)'];
const EMPTY = 'Array(Nothing)';

/** SQL: what of the values is of this type; null, and an empty list, where one is of another. */
const of = (path: string, type: string): string => `${path}.:${quoteIdentifier(type)}`;
/** The engine reads what has just been read by its type, and casts it, at no cost to speak of. */
const as = (path: string, type: string, to: string): string =>
  `CAST(${of(path, type)}, 'Nullable(${to})')`;

const plain = (type: string): PathValue => ({
  type: type.startsWith('Array(') ? type : `Nullable(${type})`,
  write: (path) => of(path, type),
});

/** Values of several kinds become text: a text as it is, and anything else as JSON writes it. */
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

/** The fields by the list that they are of, which is another one after each change. */
const known = new WeakMap<readonly ObjectColumn[], readonly PathField[]>();

/** The fields within objects that have a type, each as a column has one. */
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
