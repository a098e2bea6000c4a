import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { readElement, readEngineType, typeWithin } from '../../plan/engine-type.js';
import { fieldName, UNKNOWN, type Known } from './known-type.js';

/** A cast of a value to a list, a struct or a map. */
interface Nested {
  readonly type: Known;
  /** The value in the engine's SQL. */
  readonly value: string;
  /** The text, if the value is a literal. */
  readonly literal: string | undefined;
}

/** Casts one nested value. @returns undefined if the engine's own cast is correct. */
type CastWithin = (value: string, type: Known, target: string) => string | undefined;

/**
 * The name of an element within the value. A nested list uses the same name for its own elements.
 */
const ELEMENT = 'e';
/** A list of numbers, or of lists of them. Postgres writes it in braces. */
const NUMBERS = /^[\s[\]{},\d.+\-eEnulNUL]*$/;

/**
 * Casts to a list, a struct or a map value by value. Within one, the engine would turn 300 into 44
 * without an error.
 * @returns undefined for another type, or if no nested value can change.
 */
export function nestedCast(
  { type, value, literal }: Nested,
  target: string,
  cast: CastWithin,
): string | undefined {
  const read = readEngineType(target);
  const whole = (written: string): string => `CAST(${written}, ${quoteText(target)})`;
  if (value === 'NULL' && NESTED.test(read.name)) throw noNull(read.name);
  if (read.name === 'Array') {
    if (EMPTY.test(literal ?? value)) return `CAST([], ${quoteText(target)})`;
    const each = within(typeWithin(read), ELEMENT, type.element ?? UNKNOWN, cast);
    const list = listOfNumbers(literal);
    if (each === undefined) return list === undefined ? undefined : whole(list);
    if (type.kind === 'text' && list === undefined) throw unread('list', target);
    if (isSingle(type)) throw noList(target);
    return whole(`arrayMap(${ELEMENT} -> ${each}, ${list ?? value})`);
  }
  if (read.name === 'Map') {
    const [key, held] = [0, 1].map((at) => within(typeWithin(read, at), ELEMENT, UNKNOWN, cast));
    const each = (list: string, written: string | undefined): string =>
      written === undefined ? list : `arrayMap(${ELEMENT} -> ${written}, ${list})`;
    if (key === undefined && held === undefined) return undefined;
    if (type.kind === 'text') throw unread('map', target);
    return whole(`mapFromArrays(${each(`mapKeys(${value})`, key)}, ${each(`mapValues(${value})`, held)})`); // prettier-ignore
  }
  if (read.name !== 'Tuple') return undefined;
  const places = placesOf(read.parameters, type, target);
  const fields = read.parameters.map((element, at) => {
    const place = places?.[at] ?? at;
    const field = `${ELEMENT}.${place + 1}`;
    const known = places ? type.fields?.[place]?.type : undefined;
    return { field, cast: within(readElement(element).type, field, known ?? UNKNOWN, cast) };
  });
  if (!places && fields.every((each) => each.cast === undefined)) return undefined;
  if (type.kind === 'text') throw unread('struct', target);
  const values = fields.map((each) => each.cast ?? each.field).join(', ');
  return whole(`(arrayMap(${ELEMENT} -> tuple(${values}), [${value}])[1])`);
}

/**
 * The places of a struct's fields in the order of the type: by their names, as in DuckDB. The engine
 * would go by their places.
 * @returns undefined for a value without names, such as `ROW(1, 'x')`
 */
function placesOf(
  elements: readonly string[],
  { fields }: Known,
  target: string,
): readonly number[] | undefined {
  const names = elements.map((element) => fieldName(readElement(element).name));
  if (!fields || names.includes('')) return undefined;
  const places = names.map((name) => fields.findIndex((field) => field.name === name));
  if (places.includes(-1) || fields.length !== names.length)
    throw problem(`a struct of ${fields.map(({ name }) => name).join(', ')} is cast by names, and ${target} has others: ROW(s.a, s.b) has none`); // prettier-ignore
  return places;
}

function within(target: string, value: string, type: Known, cast: CastWithin): string | undefined {
  const read = readEngineType(target);
  if (read.name !== 'Nullable') return cast(value, type, target);
  const own = typeWithin(read);
  const written = cast(value, type, own);
  // A null struct stays null, and does not become a struct of nulls.
  const isNested = NESTED.test(readEngineType(own).name);
  return written === undefined || !isNested ? written : `if(isNull(${value}), NULL, ${written})`;
}

/** Converts a literal text to a list of the engine. */
function listOfNumbers(literal: string | undefined): string | undefined {
  if (literal === undefined || !NUMBERS.test(literal) || !/^\s*[[{]/.test(literal))
    return undefined;
  return literal.replace(/\{/g, '[').replace(/\}/g, ']');
}

const EMPTY = /^\s*(?:\[\s*\]|\{\s*\})\s*$/;
const NESTED = /^(?:Array|Map|Tuple)$/;
const SINGLE = /^(?:signed|unsigned|count|literal|fraction|decimal|float|date|moment|time)$/;
const isSingle = ({ kind }: Known): boolean => SINGLE.test(kind);

const problem = (message: string): MillraceError => new MillraceError('INVALID_SQL', message);
const noNull = (name: string): MillraceError =>
  name === 'Array'
    ? problem('a list cannot be null here; CAST([] AS INTEGER[]) is an empty one')
    : problem(`a ${name === 'Map' ? 'map' : 'struct'} cannot be null here, only what stands in it`);
const noList = (target: string): MillraceError =>
  problem(`a single value is no list: CAST([x] AS ${target}) makes a list of it`);
const unread = (word: string, target: string): MillraceError =>
  word === 'list'
    ? problem(`a text is no list: JSONExtract(x, ${quoteText(target)}) reads JSON, string_to_array(x, ',') parts a text`) // prettier-ignore
    : problem(`a text is no ${word}: JSONExtract(x, ${quoteText(target)}) reads JSON`);
