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

/** Types tried for a new column, the narrowest of a family first. */
const FAMILIES: readonly (readonly string[])[] = [
  [STRING],
  [INT, UINT, FLOAT],
  [OBJECT],
  [
    arrayOf(INT),
    arrayOf(UINT),
    arrayOf(FLOAT),
    arrayOf(BOOL),
    arrayOf(STRING),
    arrayOf(OBJECT),
    MIXED_ARRAY,
  ],
  [BOOL],
];

/**
 * The type for a new column that has seen these kinds, or undefined while they say nothing (only
 * nulls and empty arrays). Where text, numbers, objects … meet, the majority decides and a tie
 * goes to the family named first; the rest will be rejected and kept.
 */
export function typeForKinds(kinds: Kinds): string | undefined {
  let best: { readonly type: string; readonly count: number } | undefined;
  for (const family of FAMILIES) {
    const seen = [...kinds].filter(([kind]) =>
      family.some((type) => !isSilent(kind) && fits(type, kind)),
    );
    const count = seen.reduce((sum, [, number]) => sum + number, 0);
    if (count <= (best?.count ?? 0)) continue;
    const type = narrowest(family, seen);
    best = { type, count };
  }
  return best?.type;
}

/** The first type of the family that takes every kind, else the one that takes the most values. */
function narrowest(
  family: readonly string[],
  seen: readonly (readonly [string, number])[],
): string {
  const taken = (type: string): number =>
    seen.reduce((sum, [kind, count]) => sum + (fits(type, kind) ? count : 0), 0);
  return family.reduce(
    (best, type) => (taken(type) > taken(best) ? type : best),
    family[0] ?? STRING,
  );
}

const isSilent = (kind: string): boolean => kind === 'None' || kind === 'Array(Nothing)';

/** The wider type a column takes when these kinds come to it, or undefined when it stays as it is. */
export function widen(type: string, kinds: Kinds): string | undefined {
  if (type === INT && kinds.has('Float64')) return FLOAT;
  if (type === arrayOf(INT) && kinds.has(arrayOf(FLOAT))) return arrayOf(FLOAT);
  return undefined;
}

const ARROW_NAMES: readonly (readonly [RegExp, string])[] = [
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
