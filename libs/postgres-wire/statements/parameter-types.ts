import type { Column } from '@app/warehouse';
import { UNKNOWN } from '../values/parameter-value.js';
import { ARRAY_OF_OID, postgresType, TEXT_TYPE } from '../values/postgres-type.js';
import { castBehind } from './cast-behind.js';
import { bracketPairs, COMPARES, FLOAT8, INT4, INT8, typeFrom, typeOfValue, typeWithin, type Operands } from './operand-types.js'; // prettier-ignore
import { isName, isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

/** PostgreSQL's message has no more parameters. */
const PARAMETERS_MAX = 65_535;
/** Signs between two lists, of two characters each. */
const LIST_SIGN = /^(?:@>|<@|&&)$/;
const ARITHMETIC = /^[-+*/%]$/;
/** The arguments of calls that are numbers whatever stands beside them, from the first one on. */
const ARGUMENTS: Readonly<Record<string, readonly (number | undefined)[]>> = {
  ...{ round: [undefined, INT4], trunc: [undefined, INT4], repeat: [undefined, INT4] },
  ...{ left: [undefined, INT4], right: [undefined, INT4], lpad: [undefined, INT4] },
  ...{ rpad: [undefined, INT4], substr: [undefined, INT4, INT4] },
  ...{ substring: [undefined, INT4, INT4], split_part: [undefined, undefined, INT4] },
  ...{ generate_series: [INT8, INT8, INT8], make_date: [INT4, INT4, INT4] },
  ...{ power: [FLOAT8, FLOAT8], pow: [FLOAT8, FLOAT8] },
};
const ARGUMENTS_MAX = 3;
/** Calls whose arguments have one type. */
const OF_ONE_TYPE = /^(?:coalesce|nullif|greatest|least|ifnull)$/;

/** The number of parameters of a statement, which is the greatest number in it. */
const parameterCount = (tokens: readonly PostgresToken[]): number =>
  Math.min(
    PARAMETERS_MAX,
    tokens.reduce(
      (most, { kind, value }) => (kind === 'parameter' ? Math.max(most, Number(value)) : most),
      0,
    ),
  );

/**
 * The OIDs of the parameters: as the client declares them, or the type that each is compared with,
 * or text.
 * @param columns those that the statement may name
 */
export function parameterTypes(
  tokens: readonly PostgresToken[],
  given: readonly number[],
  columns: readonly Column[],
): readonly number[] {
  const types = Array.from(
    { length: Math.max(parameterCount(tokens), given.length) },
    (_, index) => (given[index] === UNKNOWN_OID ? UNKNOWN : (given[index] ?? UNKNOWN)),
  );
  eachPlace(tokens, columns, (token, at, place) => {
    const index = token.kind === 'parameter' ? Number(token.value) - 1 : -1;
    if (types[index] === UNKNOWN) types[index] = typeAt(place, at) ?? UNKNOWN;
  });
  return types.map((type) => (type === UNKNOWN ? TEXT_TYPE.oid : type));
}

const BYTEA = 17;
const HEX = /^\\x(?:[\da-f]{2})*$/i;

/**
 * The places of texts that are bytes, since they stand beside such: `b = '\x6162'`, as pgx writes a
 * value in its simple mode.
 */
export function textsOfBytes(
  tokens: readonly PostgresToken[],
  columns: readonly Column[],
): ReadonlySet<number> {
  const places = new Set<number>();
  if (!tokens.some(isHex) || !columns.some(({ type }) => postgresType(type).oid === BYTEA))
    return places;
  eachPlace(tokens, columns, (token, at, place) => {
    if (isHex(token) && typeAt(place, at) === BYTEA) places.add(at);
  });
  return places;
}

const isHex = ({ kind, value }: PostgresToken): boolean => kind === 'text' && HEX.test(value);

function eachPlace(
  tokens: readonly PostgresToken[],
  columns: readonly Column[],
  work: (token: PostgresToken, at: number, place: Place) => void,
): void {
  const place: Place = {
    tokens,
    columns: typesByName(columns),
    brackets: bracketPairs(tokens),
    found: new Map(),
    open: [],
    cases: [],
  };
  tokens.forEach((token, at) => {
    if (isSymbol(token, '(')) place.open.push(at);
    else if (isSymbol(token, ')')) place.open.pop();
    else if (isWord(token, 'case')) place.cases.push(at);
    else if (isWord(token, 'end')) place.cases.pop();
    work(token, at, place);
  });
}

/** The facts that are known at a token of a statement. */
interface Place extends Operands {
  /** The brackets around it. */
  readonly open: number[];
  /** The words CASE around it. */
  readonly cases: number[];
}

/** OIDs by the columns' names, and by those in lower case; undefined where there are several. */
function typesByName(columns: readonly Column[]): ReadonlyMap<string, number | undefined> {
  const types = new Map<string, number | undefined>();
  for (const { name, type } of columns)
    for (const each of new Set([name, name.toLowerCase()])) {
      const { oid } = postgresType(type);
      types.set(each, types.has(each) && types.get(each) !== oid ? undefined : oid);
    }
  return types;
}

/** The type that psycopg declares for a text of any type. */
const UNKNOWN_OID = 705;

function typeAt(place: Place, at: number): number | undefined {
  const { tokens, open } = place;
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  const cast = castBehind(tokens, at);
  if (cast) return cast.oid;
  const list = open.at(-1);
  const call = list === undefined ? undefined : tokens[list - 1];
  // Another cast reads the text.
  if (isSymbol(next, '::') || (isWord(next, 'as') && isWord(call, 'cast', 'try_cast')))
    return undefined;
  if (isWord(before, 'limit', 'offset', 'first', 'next')) return INT8;
  if (LIST_SIGN.test(`${tokens[at - 2]?.text ?? ''}${before?.text ?? ''}`))
    return typeOfValue(place, at - 3);
  // A product is a value of its own: `t - $1 * INTERVAL '1 day'`.
  if (isFactor(before, next)) return typeBehind(place, at);
  if (before?.kind === 'symbol' && (COMPARES.test(before.text) || ARITHMETIC.test(before.text)))
    return typeOfValue(place, at - 2) ?? typeBehind(place, at);
  if (isWord(before, 'between')) return typeOfValue(place, at - 2 - Number(isWord(tokens[at - 2], 'not'))); // prettier-ignore
  if (isWord(before, 'and') && isWord(tokens[at - 3], 'between')) return typeOfValue(place, at - 4 - Number(isWord(tokens[at - 4], 'not'))); // prettier-ignore
  if (isWord(before, 'from') && isWord(tokens[at - 2], 'distinct')) return typeOfValue(place, at - 4 - Number(isWord(tokens[at - 3], 'not'))); // prettier-ignore
  if (isWord(before, 'then', 'else')) return typeBehind(place, at) ?? typeOfCase(place);
  if (list !== undefined && isWord(call, 'in'))
    return typeOfValue(place, list - 2 - Number(isWord(tokens[list - 2], 'not')));
  if (list !== undefined && isWord(call, 'any', 'all', 'some'))
    return arrayOf(typeOfValue(place, list - 3));
  const type = typeBehind(place, at);
  return type ?? (list !== undefined && isName(call) ? typeOfArgument(place, at, list, call.value.toLowerCase()) : undefined); // prettier-ignore
}

const isFactor = (before: PostgresToken | undefined, next: PostgresToken | undefined): boolean =>
  (isSymbol(before, '+') || isSymbol(before, '-')) &&
  (isSymbol(next, '*') || isSymbol(next, '/') || isSymbol(next, '%'));

/** The type of a whole argument of a call. */
function typeOfArgument(place: Place, at: number, open: number, call: string): number | undefined {
  const { tokens, brackets } = place;
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  const isWhole = (isSymbol(before, '(') || isSymbol(before, ',')) && (isSymbol(next, ')') || isSymbol(next, ',')); // prettier-ignore
  if (!isWhole) return undefined;
  if (OF_ONE_TYPE.test(call)) {
    const { found } = place;
    if (!found.has(open)) found.set(open, typeWithin(place, open + 1, brackets.get(open) ?? at));
    return found.get(open);
  }
  if (!Object.hasOwn(ARGUMENTS, call)) return undefined;
  let index = 0;
  for (let each = open + 1; each < at && index < ARGUMENTS_MAX; each += 1) {
    if (isSymbol(tokens[each], '(')) each = brackets.get(each) ?? at;
    else if (isSymbol(tokens[each], ',')) index += 1;
  }
  return ARGUMENTS[call]?.[index];
}

/** The tokens of a CASE that are looked at: there may be a CASE in each of many others. */
const CASE_MAX = 500;

/** The type of the first value of a CASE that tells one. */
function typeOfCase(place: Place): number | undefined {
  const { tokens, found, cases } = place;
  const start = cases.at(-1);
  if (start === undefined) return undefined;
  if (!found.has(start)) found.set(start, typeOfBranches(place, tokens.slice(start, start + CASE_MAX), start)); // prettier-ignore
  return found.get(start);
}

function typeOfBranches(
  place: Place,
  tokens: readonly PostgresToken[],
  start: number,
): number | undefined {
  // prettier-ignore
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (isWord(token, 'case')) depth += 1;
    else if (isWord(token, 'end')) depth -= 1;
    if (depth === 0) return undefined;
    const isValue = depth === 1 && isWord(token, 'then', 'else');
    const type = isValue ? typeFrom(place, start + at + 1) : undefined;
    if (type !== undefined) return type;
  }
  return undefined;
}

function typeBehind(place: Place, at: number): number | undefined {
  const { tokens } = place;
  const sign = tokens[at + 1];
  if (sign?.kind !== 'symbol' || !(COMPARES.test(sign.text) || ARITHMETIC.test(sign.text)))
    return undefined;
  return typeFrom(place, at + 2);
}

const arrayOf = (oid: number | undefined): number | undefined =>
  oid === undefined ? undefined : ARRAY_OF_OID.get(oid);
