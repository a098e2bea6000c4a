/**
 * Which types a column can have, which kinds of value fit into it, and how it widens. Types and
 * kinds carry the engine's names: a kind is what `dynamicType` says of one value.
 */
export type Kinds = ReadonlyMap<string, number>;

const INT = 'Nullable(Int64)';
const UINT = 'Nullable(UInt64)';
const FLOAT = 'Nullable(Float64)';
const BOOL = 'Nullable(Bool)';
const STRING = 'Nullable(String)';
const OBJECT = 'JSON';
const arrayOf = (element: string): string => `Array(${element})`;
const MIXED_ARRAY = arrayOf('Dynamic');
/** Types that widen, each with its kind. */
const WIDENING: ReadonlyMap<string, string> = new Map([
  [INT, 'Int64'],
  [arrayOf(INT), arrayOf(INT)],
]);

/**
 * Kinds that each type takes without loss. Two need a look at the value too, which acceptance
 * takes: an Int64 in a Float64 column must be exact (|n| ≤ 2⁵³), one in a UInt64 column not negative.
 */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  [INT]: ['Int64'],
  [UINT]: ['UInt64', 'Int64'],
  [FLOAT]: ['Float64', 'Int64'],
  [BOOL]: ['Bool'],
  [STRING]: ['String'],
  [OBJECT]: ['JSON'],
  [arrayOf(INT)]: [arrayOf(INT)],
  [arrayOf(UINT)]: [arrayOf(UINT), arrayOf(INT)],
  [arrayOf(FLOAT)]: [arrayOf(FLOAT), arrayOf(INT)],
  [arrayOf(BOOL)]: [arrayOf(BOOL)],
  [arrayOf(STRING)]: [arrayOf(STRING)],
  [arrayOf(OBJECT)]: [arrayOf(OBJECT)],
};

/** Whether a value of this kind goes into a column of this type without loss (see {@link TAKES}). */
export function fits(type: string, kind: string): boolean {
  if (type === MIXED_ARRAY) return kind.startsWith('Array(');
  return TAKES[type]?.includes(kind) ?? false;
}

/** Exact in a float: integers beyond may be rounded as one. */
export const EXACT_FLOAT = '9007199254740992';

/** Kind, beside their own, of integers beyond {@link EXACT_FLOAT}, or of arrays with one. It says nothing about a type. */
export const beyondFloat = (kind: string): string => `beyond floats: ${kind}`;

/** Whether such integers were seen and go into a column of this type: it must not become one of floats then. */
export function holdsBeyondFloat(type: string, kinds: Kinds): boolean {
  const kind = WIDENING.get(type);
  return kind !== undefined && kinds.has(beyondFloat(kind));
}

/** The kind of values of a type that may become one of floats; undefined for others. */
export const kindThatWidens = (type: string): string | undefined => WIDENING.get(type);

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
    arrayOf(OBJECT),
    MIXED_ARRAY,
  ],
];

/** Values that a column of text has as they were written: those of several kinds, or arrays that no column of arrays keeps. */
export type Verbatim = 'scalars' | 'arrays';

/** The type of a new column. */
export interface FirstType {
  readonly type: string;
  readonly verbatim?: Verbatim;
}

/** Kind, beside their own, of arrays that a column of this type would change. It says nothing about a type. */
export const changedIn = (type: string): string => `changed in: ${type}`;

/**
 * The type for a new column that has seen these kinds, or undefined while they say nothing (only
 * nulls and empty arrays). Single values of several kinds become text, and so do arrays that no
 * column of arrays keeps. Where single values, objects and arrays meet, the majority decides and a
 * tie goes to those named first; the rest will be rejected and kept.
 */
export function firstType(kinds: Kinds): FirstType | undefined {
  const [most] = [SCALARS, OBJECTS, ARRAYS]
    .map((families) => families.map((family) => seenOf(family, kinds)).filter(hasAny))
    .map((families) => ({ families, count: sumOf(families.flatMap(({ seen }) => seen)) }))
    .sort((a, b) => b.count - a.count);
  const [only, other] = most?.families ?? [];
  if (!only) return undefined;
  if (other) return { type: STRING, verbatim: 'scalars' };
  const type = narrowest(only);
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

/** The first type of the family that takes every kind, else the one that takes the most values. */
function narrowest({ family, seen }: Seen): string {
  const taken = (type: string): number => sumOf(seen.filter(([kind]) => fits(type, kind)));
  return family.reduce(
    (best, type) => (taken(type) > taken(best) ? type : best),
    family[0] ?? STRING,
  );
}

const isSilent = (kind: string): boolean => kind === 'None' || kind === 'Array(Nothing)';

/** Whether a field had nothing but nulls and empty arrays. */
export const isUntyped = (kinds: Kinds): boolean => [...kinds.keys()].every(isSilent);

/** The wider type a column takes when these kinds come to it, or undefined when it stays as it is. */
export function widen(type: string, kinds: Kinds): string | undefined {
  if (type === INT && kinds.has('Float64')) return FLOAT;
  if (type === arrayOf(INT) && kinds.has(arrayOf(FLOAT))) return arrayOf(FLOAT);
  return undefined;
}

const ARROW_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^Nullable\(Nothing\)$/, 'Null'],
  [/^DateTime64/, 'Timestamp'],
  [/^Array\(/, 'List'],
  [/^JSON/, 'Struct'],
  [/^(?:Nullable\()?(Int64|UInt64|Float64)/, '$1'],
  [/^(?:Nullable\()?Bool/, 'Boolean'],
  [/^(?:Nullable\(|LowCardinality\()?String/, 'Utf8'],
];

/** Arrow's name of a column type, as the API shows it. */
export function arrowName(type: string): string {
  for (const [pattern, name] of ARROW_NAMES) {
    const match = pattern.exec(type);
    if (match) return name.replace('$1', match[1] ?? '');
  }
  return type;
}

/** Types that may be declared, by the name the API has for them. */
const DECLARABLE: ReadonlyMap<string, string> = new Map([
  ['Utf8', STRING],
  ['Int64', INT],
  ['UInt64', UINT],
  ['Float64', FLOAT],
  ['Boolean', BOOL],
  ['Struct', OBJECT],
  ['List<Utf8>', arrayOf(STRING)],
  ['List<Int64>', arrayOf(INT)],
  ['List<UInt64>', arrayOf(UINT)],
  ['List<Float64>', arrayOf(FLOAT)],
  ['List<Boolean>', arrayOf(BOOL)],
  ['List<Struct>', arrayOf(OBJECT)],
]);

export const DECLARABLE_NAMES: readonly string[] = [...DECLARABLE.keys()];

/** The column type that a declared name stands for. */
export function declaredType(name: string): string | undefined {
  return DECLARABLE.get(name);
}

/** The name with which a column of this type could be declared: `List<Int64>`, where {@link arrowName} says `List`. */
export function declarableName(type: string): string {
  for (const [name, declared] of DECLARABLE) if (declared === type) return name;
  return arrowName(type);
}

export const isText = (type: string): boolean => type === STRING;

/** Whether a column holds a single value: text, a number, or a truth. */
export const isScalar = (type: string): boolean => type.startsWith('Nullable(');
