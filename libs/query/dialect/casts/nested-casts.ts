import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { readElement, readEngineType, typeWithin } from '../../plan/engine-type.js';
import { UNKNOWN, type Known } from './known-type.js';

/** A value that is cast to a list, a struct or a map. */
interface Nested {
  readonly type: Known;
  /** The value as the engine has it. */
  readonly value: string;
  /** The text, where the value is one that is written out. */
  readonly literal: string | undefined;
}

/** Casts one value within. @returns undefined where the engine's own cast is right. */
type CastWithin = (value: string, type: Known, target: string) => string | undefined;

/** The name of an element within; another list in it hides it. */
const ELEMENT = 'e';
/** A list of numbers, or of lists of them. Postgres writes it in braces. */
const NUMBERS = /^[\s[\]{},\d.+\-eEnulNUL]*$/;

/** A map that the statement makes. */
const WRITTEN_MAP = /^map(?:FromArrays)?\(/;

/**
 * Casts to a list, a struct or a map value by value: the engine would take 300 for 44 within one.
 * @returns undefined for another type, or where no value within can be lost.
 */
export function nestedCast(
  { type, value, literal }: Nested,
  target: string,
  cast: CastWithin,
): string | undefined {
  const read = readEngineType(target);
  const whole = (written: string): string => `CAST(${written}, ${quoteText(target)})`;
  if (value === 'NULL' && read.name === 'Array') throw NO_NULL;
  if (read.name === 'Array') {
    if (EMPTY.test(literal ?? value)) return `CAST([], ${quoteText(target)})`;
    const each = within(typeWithin(read), ELEMENT, type.element ?? UNKNOWN, cast);
    const list = listOfNumbers(literal);
    if (each === undefined) return list === undefined ? undefined : whole(list);
    if (type.kind === 'text' && list === undefined) throw unread(target);
    return whole(`arrayMap(${ELEMENT} -> ${each}, ${list ?? value})`);
  }
  if (read.name === 'Map' && WRITTEN_MAP.test(value)) {
    const [key, held] = [0, 1].map((at) => within(typeWithin(read, at), ELEMENT, UNKNOWN, cast));
    const each = (list: string, written: string | undefined): string =>
      written === undefined ? list : `arrayMap(${ELEMENT} -> ${written}, ${list})`;
    if (key === undefined && held === undefined) return undefined;
    return whole(`mapFromArrays(${each(`mapKeys(${value})`, key)}, ${each(`mapValues(${value})`, held)})`); // prettier-ignore
  }
  if (read.name !== 'Tuple' || type.kind === 'text') return undefined;
  const fields = read.parameters.map((element, at) => {
    const field = `${ELEMENT}.${at + 1}`;
    return { field, cast: within(readElement(element).type, field, UNKNOWN, cast) };
  });
  if (fields.every((each) => each.cast === undefined)) return undefined;
  const values = fields.map((each) => each.cast ?? each.field).join(', ');
  return whole(`(arrayMap(${ELEMENT} -> tuple(${values}), [${value}])[1])`);
}

function within(target: string, value: string, type: Known, cast: CastWithin): string | undefined {
  const read = readEngineType(target);
  return cast(value, type, read.name === 'Nullable' ? typeWithin(read) : target);
}

/** Writes a text that is written out as the list of the engine. */
function listOfNumbers(literal: string | undefined): string | undefined {
  if (literal === undefined || !NUMBERS.test(literal) || !/^\s*[[{]/.test(literal))
    return undefined;
  return literal.replace(/\{/g, '[').replace(/\}/g, ']');
}

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})\s*$/;
const NO_NULL = new MillraceError('INVALID_SQL', 'a list cannot be null here; CAST([] AS INTEGER[]) is an empty one'); // prettier-ignore
const unread = (target: string): MillraceError =>
  new MillraceError('INVALID_SQL', `a text is no list: JSONExtract(x, ${quoteText(target)}) reads JSON, string_to_array(x, ',') parts a text`); // prettier-ignore
