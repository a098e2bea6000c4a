import { integer, isPlain, slowKind, type Slow } from './slow-json.js';

// This file repeats the rules of `nesting-marks.ts` for values within objects and arrays, simply
// and slowly.

type Of<Is extends Slow['is']> = Extract<Slow, { is: Is }>;

/** Tells whether an array of several kinds keeps a value; it is within so many arrays. */
export function isKeptInMixed(value: Slow, arrays = 0): boolean {
  if (value.is === 'array')
    return (
      (arrays === 0 || isKeptList(value)) &&
      value.elements.every((each) => isKeptInMixed(each, arrays + 1))
    );
  if (value.is !== 'object') return true;
  const { members, spelled } = value;
  return (
    arrays < 2 &&
    members.length > 0 &&
    members.length <= 256 &&
    spelled.every((name) => isPlainName(name)) &&
    members.every(([, each]) => isKeptInMixed(each, arrays))
  );
}

/** Tells whether a column of objects keeps a value. */
export function isKeptInObjects(value: Slow, isWithin = false): boolean {
  if (value.is === 'array')
    return (
      (!isWithin || isKeptList(value)) &&
      value.elements.every((each) => isKeptInObjects(each, isWithin))
    );
  if (value.is !== 'object') return true;
  return (
    value.spelled.every((name) => !name.includes('%2E')) &&
    value.members.every(([, each]) => isKeptInObjects(each, true))
  );
}

const isPlainName = (name: string): boolean =>
  name !== '' && name !== 'null' && !/\.|%2E/.test(name) && !/\\u/.test(name);

function isKeptList(list: Of<'array'>): boolean {
  const { fractions, unsigned, nulls } = typesOf(list);
  const numbers = numbersIn(list);
  const has = (...wanted: readonly Slow['is'][]): boolean =>
    list.elements.some(({ is }) => wanted.includes(is));
  const hasLists = list.elements.some((each) => /^Array\((?:JSON|Dynamic)\)$/.test(slowKind(each)));
  return !(
    (has('null') && has('array', 'object')) ||
    (hasLists && nulls) ||
    (fractions && numbers.some((text) => isPlain(text) && isLong(BigInt(text)))) ||
    (unsigned && numbers.some((text) => text.startsWith('-') && !isFloat(text) && integer(text) !== 0n)) // prettier-ignore
  );
}

/** The engine reads a list by these types. Lists beside each other in one list come to one type. */
interface Types {
  readonly fractions: boolean;
  readonly unsigned: boolean;
  /** Tells whether one within has nothing but nulls. */
  readonly nulls: boolean;
}

function typesOf(list: Of<'array'>): Types {
  const hasArrays = list.elements.some(({ is }) => is === 'array');
  const within = hasArrays ? list.elements.flatMap(typesWithin) : [];
  const own = list.elements.flatMap((each) => (each.is === 'number' ? [each.text] : []));
  const isOdd = numbersIn(list).some((text) => !isFloat(text) && (!isPlain(text) || text === '-0'));
  return {
    fractions: own.some((text) => isFloat(text) || isOdd) || within.some((each) => each.fractions),
    unsigned: own.some(isUnsigned) || within.some((each) => each.unsigned),
    nulls: within.some((each) => each.nulls),
  };
}

function typesWithin(value: Slow): Types[] {
  if (value.is === 'object') return value.members.flatMap(([, each]) => typesWithin(each));
  if (value.is !== 'array') return [];
  const types = typesOf(value);
  const isOfNulls = value.elements.length > 0 && value.elements.every(({ is }) => is === 'null');
  return [{ ...types, nulls: types.nulls || isOfNulls }];
}

const isUnsigned = (text: string): boolean => !isFloat(text) && (integer(text) ?? 0n) >= 2n ** 63n;

const isLong = (value: bigint): boolean => value > 2n ** 53n || value < -(2n ** 53n);

function isFloat(text: string): boolean {
  const value = integer(text);
  return value === undefined || value >= 2n ** 64n || value < -(2n ** 63n);
}

function numbersIn(value: Slow): string[] {
  if (value.is === 'number') return [value.text];
  if (value.is === 'array') return value.elements.flatMap(numbersIn);
  return value.is === 'object' ? value.members.flatMap(([, each]) => numbersIn(each)) : [];
}
