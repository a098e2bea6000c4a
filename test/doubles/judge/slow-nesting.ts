import { integer, isPlain, type Slow } from './slow-json.js';

// What `nesting-marks.ts` says of values within objects and arrays, told at length.

type Of<Is extends Slow['is']> = Extract<Slow, { is: Is }>;

/** Whether an array of several kinds keeps a value; it is within so many arrays. */
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

/** Whether a column of objects keeps a value. */
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
  const has = (is: (each: Slow) => boolean): boolean => list.elements.some(is);
  const nested = has(({ is }) => is === 'array' || is === 'object');
  const numbers = numbersIn(list);
  const integers = has((each) => each.is === 'number' && !isFloat(each.text));
  const fraction =
    has((each) => each.is === 'number' && isFloat(each.text)) ||
    (integers && numbers.some((text) => !isFloat(text) && (!isPlain(text) || text === '-0')));
  const unsigned = has((each) => each.is === 'number' && (integer(each.text) ?? 0n) >= 2n ** 63n && !isFloat(each.text)); // prettier-ignore
  return !(
    (nested && has(({ is }) => is === 'null')) ||
    (fraction && numbers.some((text) => isPlain(text) && isLong(BigInt(text)))) ||
    (unsigned && numbers.some((text) => text.startsWith('-') && !isFloat(text)))
  );
}

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
