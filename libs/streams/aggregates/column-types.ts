import { holds, readValueType, widest, writeValueType, type ValueType } from './value-type.js';

/**
 * Tells which types a column can have, which kinds of value fit into it, and how it widens. Types and
 * kinds carry the engine's names: a kind is what `dynamicType` says of one value.
 */
export type Kinds = ReadonlyMap<string, number>;

const INT = 'Nullable(Int64)';
const UINT = 'Nullable(UInt64)';
const FLOAT = 'Nullable(Float64)';
const BOOL = 'Nullable(Bool)';
const STRING = 'Nullable(String)';
/**
 * The type of an object that may be null: a field that is absent, or null, is not an object without
 * keys.
 */
const OBJECT = 'Nullable(JSON)';
/**
 * The kind of objects, and the type of columns from before null objects were kept: null reads as
 * `{}` there.
 */
const OBJECT_KIND = 'JSON';
const arrayOf = (element: string): string => `Array(${element})`;
const MIXED_ARRAY = arrayOf('Dynamic');
/** Types that widen, each with its kind. */
const WIDENING: ReadonlyMap<string, string> = new Map([
  [INT, 'Int64'],
  [arrayOf(INT), arrayOf(INT)],
]);

/**
 * Kinds of JSON's values of which a type takes only some, depending on the value: an integer by its
 * size, a text by its content. Acceptance looks at each value (see `ColumnRules`).
 */
const TAKES_SOME: Readonly<Record<ValueType['family'], readonly string[]>> = {
  integer: ['Int64'],
  float: ['Float64', 'Int64'],
  decimal: ['Int64', 'UInt64', 'Float64', 'String'],
  timestamp: ['Int64', 'UInt64', 'Float64', 'String'],
  date: ['String'],
  time: ['String'],
  uuid: ['String'],
  binary: ['String'],
  boolean: [],
  text: [],
};

/**
 * Tells whether values of this kind go into a column of this type without loss: all of them, or those
 * that acceptance lets in (see {@link TAKES_SOME}).
 */
export function fits(type: string, kind: string): boolean {
  if (type === MIXED_ARRAY) return kind.startsWith('Array(');
  if (isObject(type)) return kind === OBJECT_KIND;
  if (type === kind) return true;
  const [list, values] = [elementOf(type), elementOf(kind)];
  if (list !== undefined && values !== undefined) return takes(list, values);
  return list === undefined && values === undefined && takes(type, kind);
}

function takes(type: string, kind: string): boolean {
  const [column, value] = [readValueType(type), readValueType(kind)];
  if (!column || !value) return false;
  return holds(column, value) || TAKES_SOME[column.family].includes(writeValueType(value));
}

/** The type of an array's elements where they are single values. */
export const elementOf = (type: string): string | undefined =>
  /^Array\((Nullable\(.+\))\)$/.exec(type)?.[1];

/** Integers up to this are exact in a float; larger ones may be rounded. */
export const EXACT_FLOAT = '9007199254740992';

/**
 * An additional kind: integers beyond {@link EXACT_FLOAT}, or arrays with one. It says nothing
 * about a type.
 */
export const beyondFloat = (kind: string): string => `${BEYOND}${kind}`;
const BEYOND = 'beyond floats: ';

/**
 * Tells whether such integers were seen and go into a column of this type. Then it must not become
 * a column of floats.
 */
export function holdsBeyondFloat(type: string, kinds: Kinds): boolean {
  const kind = WIDENING.get(type);
  return kind !== undefined && kinds.has(beyondFloat(kind));
}

/** The kind of the values of a type that may become floats; undefined for others. */
export const kindThatWidens = (type: string): string | undefined => WIDENING.get(type);

/** Kinds of floats, and of lists of them. */
const FRACTIONS: ReadonlySet<string> = new Set(
  ['Float64', 'Float32'].flatMap((kind) => [kind, arrayOf(`Nullable(${kind})`)]),
);

/**
 * Tells whether values of a kind turn a column of integers into floats, if all of its values are
 * exact there.
 */
export const meetsFractions = (type: string, kind: string): boolean =>
  WIDENING.has(type) &&
  FRACTIONS.has(kind) &&
  (elementOf(type) === undefined) === (elementOf(kind) === undefined);

/** Types of single values, of objects, and of arrays; the narrowest of a family first. */
const SCALARS: readonly (readonly string[])[] = [[STRING], [INT, UINT, FLOAT], [BOOL]];
const OBJECTS: readonly (readonly string[])[] = [[OBJECT]];
const ARRAYS: readonly (readonly string[])[] = [
  [
    arrayOf(INT),
    arrayOf(UINT),
    arrayOf(FLOAT),
    arrayOf(BOOL),
    arrayOf(STRING),
    arrayOf(OBJECT_KIND),
    MIXED_ARRAY,
  ],
];

/**
 * The kinds of values that a column of text keeps as they were written: if there are several kinds,
 * or arrays that no column of arrays keeps.
 */
export type Verbatim = 'scalars' | 'arrays';

/** The type of a new column. */
interface FirstType {
  readonly type: string;
  readonly verbatim?: Verbatim;
}

/**
 * An additional kind: arrays that a column of this type would change. It says nothing about a type.
 */
export const changedIn = (type: string): string => `changed in: ${type}`;

/**
 * The type for a new column that has seen these kinds, or undefined while they say nothing (only
 * nulls and empty arrays). Single values of several kinds become text, and so do arrays that no
 * column of arrays keeps. Where single values, objects and arrays meet, the majority decides and a
 * tie goes to those named first; the rest will be rejected and kept.
 */
export function firstType(kinds: Kinds): FirstType | undefined {
  const typed = typedFirst(kinds);
  if (typed) return typed;
  const [most] = [SCALARS, OBJECTS, ARRAYS]
    .map((families) => families.map((family) => seenOf(family, kinds)).filter(hasAny))
    .map((families) => ({ families, count: sumOf(families.flatMap(({ seen }) => seen)) }))
    .sort((a, b) => b.count - a.count);
  const [only, other] = most?.families ?? [];
  if (!only) return undefined;
  if (other) return { type: STRING, verbatim: 'scalars' };
  const type = narrowest(only, kinds);
  return kinds.has(changedIn(type)) ? { type: STRING, verbatim: 'arrays' } : { type };
}

interface Seen {
  readonly family: readonly string[];
  readonly seen: readonly (readonly [kind: string, count: number])[];
}

const seenOf = (family: readonly string[], kinds: Kinds): Seen => ({
  family,
  seen: [...kinds].filter(([kind]) => family.some((type) => !isSilent(kind) && fits(type, kind))),
});

const hasAny = ({ seen }: Seen): boolean => seen.length > 0;

const sumOf = (seen: Seen['seen']): number => seen.reduce((sum, [, count]) => sum + count, 0);

/**
 * The first type of the family that takes every kind, or else the one that takes the most values.
 * Where more integers are beyond floats than there are fractions, the fractions are left out.
 */
function narrowest({ family, seen }: Seen, kinds: Kinds): string {
  const taken = (type: string): number => sumOf(seen.filter(([kind]) => fits(type, kind)));
  const most = (types: readonly string[]): string =>
    types.reduce((best, type) => (taken(type) > taken(best) ? type : best), types[0] ?? STRING);
  const type = most(family);
  const fractions = sumOf(seen.filter(([kind]) => FRACTIONS.has(kind)));
  const inexact = seen.reduce((sum, [kind]) => sum + (kinds.get(beyondFloat(kind)) ?? 0), 0);
  const isOfFractions = type === FLOAT || type === arrayOf(FLOAT);
  return isOfFractions && inexact > fractions ? most(family.slice(0, family.indexOf(type))) : type;
}

export const isSilent = (kind: string): boolean => kind === 'None' || kind === 'Array(Nothing)';

/** Tells whether a field had nothing but nulls and empty arrays. */
export const isUntyped = (kinds: Kinds): boolean => [...kinds.keys()].every(isSilent);

/**
 * The kinds of JSON's values. Other kinds come from sources with types: tables, and CSV's dates.
 */
const OF_JSON = new Set(['Int64', 'UInt64', 'Float64', 'Bool', 'String']);

const isTyped = (kind: string): boolean => {
  const value = readValueType(elementOf(kind) ?? kind);
  return value !== undefined && !OF_JSON.has(writeValueType(value));
};

/** If a source has types, gives the type that holds all of them. */
function typedFirst(kinds: Kinds): FirstType | undefined {
  const told = [...kinds.keys()].filter((kind) => readValueType(elementOf(kind) ?? kind)).sort();
  const [first, ...others] = told;
  if (first === undefined || !told.some(isTyped)) return undefined;
  const common = others.reduce<string | undefined>(
    (type, kind) => type && commonType(type, kind),
    columnOf(first),
  );
  if (common !== undefined) return { type: common };
  return told.every((kind) => elementOf(kind) !== undefined)
    ? { type: MIXED_ARRAY }
    : { type: STRING, verbatim: 'scalars' };
}

/** The type of a column for values of this kind alone. */
const columnOf = (kind: string): string =>
  elementOf(kind) === undefined ? `Nullable(${kind})` : kind;

/**
 * The narrowest type that holds a column's values and those of a kind. It is undefined where there
 * is no such type.
 */
function commonType(type: string, kind: string): string | undefined {
  const [list, values] = [elementOf(type), elementOf(kind)];
  if ((list === undefined) !== (values === undefined)) return undefined;
  const [column, value] = [readValueType(list ?? type), readValueType(values ?? kind)];
  const wider = column && value && widest(column, value);
  if (!wider) return undefined;
  const single = `Nullable(${writeValueType(wider)})`;
  return list === undefined ? single : arrayOf(single);
}

/**
 * The wider type a column takes when these kinds come to it, or undefined when it stays as it is.
 * @param kinds as they are beside the column: a value that fits is of the column's own type, so an
 *   integer is `Int64` only where the column's is too narrow for it
 */
export function widen(type: string, kinds: Kinds): string | undefined {
  if (WIDENING.has(type) && [...kinds.keys()].some((kind) => meetsFractions(type, kind)))
    return type === INT ? FLOAT : arrayOf(FLOAT);
  const wider = [...kinds.keys()].sort().reduce((now, kind) => widerBy(now, kind, kinds), type);
  return wider === type ? undefined : wider;
}

function widerBy(type: string, kind: string, kinds: Kinds): string {
  if (fits(type, kind) && !isNarrowFor(type, kind)) return type;
  // A float would round integers that come with the fractions.
  if (FRACTIONS.has(kind) && [...kinds.keys()].some((each) => each.startsWith(BEYOND))) return type;
  return commonType(type, kind) ?? type;
}

/** Tells whether a column of integers, or of floats of 32 bits, is too narrow for some values of a kind that it takes. */
function isNarrowFor(type: string, kind: string): boolean {
  const [column, value] = [type, kind].map((each) => readValueType(elementOf(each) ?? each));
  const isNumber = column?.family === 'integer' || column?.family === 'float';
  return isNumber && value !== undefined && !holds(column, value);
}

export const isText = (type: string): boolean => type === STRING;

/** Tells whether a column holds a single value: text, a number, or a boolean. */
export const isScalar = (type: string): boolean => type.startsWith('Nullable(') && !isObject(type);

/** Tells whether a column holds objects, of the type with nulls or of the older one. */
export const isObject = (type: string): boolean => type === OBJECT || type === OBJECT_KIND;
