import { hasBeyondFloat, integer, isPlain, slowKind, type Slow } from './slow-json.js';

/** Whether a column of objects keeps all that is within a value: of arrays in objects it does not always. */
export function isKeptInObjects(value: Slow, isWithin = false): boolean {
  if (value.is === 'object') return value.members.every(([, each]) => isKeptInObjects(each, true));
  if (value.is !== 'array') return true;
  return (
    value.elements.every((each) => isKeptInObjects(each, isWithin)) &&
    !(isWithin && isChanged(value.elements))
  );
}

/** A null beside what is nested, a long integer beside a fraction, a large one beside a negative. */
function isChanged(elements: readonly Slow[]): boolean {
  const kinds = elements.map(slowKind);
  const has = (...wanted: readonly string[]): boolean =>
    kinds.some((kind) => wanted.includes(kind));
  const isNested = elements.some(({ is }) => is === 'array' || is === 'object');
  const numbers = elements.flatMap(numbersIn);
  const integers = numbers.filter((text) => kindOf(text) !== 'Float64');
  const isOdd = integers.some((text) => !isPlain(text) || text === '-0');
  const isOfFractions = has('Float64') || (has('Int64', 'UInt64') && isOdd);
  const isLong = (text: string): boolean => isPlain(text) && hasBeyondFloat({ is: 'number', text });
  const isNegative = (text: string): boolean => (integer(text) ?? 0n) < 0n;
  return (
    (has('None') && isNested) ||
    (isOfFractions && integers.some(isLong)) ||
    (has('UInt64') && integers.some(isNegative))
  );
}

const kindOf = (text: string): string => slowKind({ is: 'number', text });

function numbersIn(value: Slow): string[] {
  if (value.is === 'array') return value.elements.flatMap(numbersIn);
  if (value.is === 'object') return value.members.flatMap(([, each]) => numbersIn(each));
  return value.is === 'number' ? [value.text] : [];
}
