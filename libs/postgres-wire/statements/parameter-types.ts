import type { Column } from '@app/warehouse';
import { UNKNOWN } from '../values/parameter-value.js';
import { ARRAY_OF_OID, postgresType, TEXT_TYPE } from '../values/postgres-type.js';
import { castBehind } from './cast-behind.js';
import { isName, isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

/** The OIDs of numbers and booleans in a statement. */
const [INT8, FLOAT8, BOOL] = [20, 701, 16];
/** PostgreSQL's message has no more parameters. */
const PARAMETERS_MAX = 65_535;
const COMPARES = /^(?:=|<>|!=|<|>|<=|>=)$/;
/** Signs between two lists, of two characters each. */
const LIST_SIGN = /^(?:@>|<@|&&)$/;
const ARITHMETIC = /^[-+*/%]$/;

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
  const place: Place = { tokens, columns: typesByName(columns), open: [] };
  tokens.forEach((token, at) => {
    if (isSymbol(token, '(')) place.open.push(at);
    else if (isSymbol(token, ')')) place.open.pop();
    const index = token.kind === 'parameter' ? Number(token.value) - 1 : -1;
    if (types[index] === UNKNOWN) types[index] = typeAt(place, at) ?? UNKNOWN;
  });
  return types.map((type) => (type === UNKNOWN ? TEXT_TYPE.oid : type));
}

/** The facts that are known at a token of a statement. */
interface Place {
  readonly tokens: readonly PostgresToken[];
  readonly columns: ReadonlyMap<string, number | undefined>;
  /** The brackets around it. */
  readonly open: number[];
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
  // Another cast reads the text.
  if (isSymbol(next, '::') || isWord(next, 'as')) return undefined;
  if (isWord(before, 'limit', 'offset', 'first', 'next')) return INT8;
  if (LIST_SIGN.test(`${tokens[at - 2]?.text ?? ''}${before?.text ?? ''}`))
    return typeOf(place, at - 3);
  if (before?.kind === 'symbol' && (COMPARES.test(before.text) || ARITHMETIC.test(before.text)))
    return typeOf(place, at - 2) ?? typeBehind(place, at);
  if (isWord(before, 'between')) return typeOf(place, at - 2 - Number(isWord(tokens[at - 2], 'not'))); // prettier-ignore
  if (isWord(before, 'and') && isWord(tokens[at - 3], 'between')) return typeOf(place, at - 4); // prettier-ignore
  const list = open.at(-1);
  if (list !== undefined && isWord(tokens[list - 1], 'in'))
    return typeOf(place, list - 2 - Number(isWord(tokens[list - 2], 'not')));
  if (list !== undefined && isWord(tokens[list - 1], 'any', 'all', 'some'))
    return arrayOf(typeOf(place, list - 3));
  return typeBehind(place, at);
}

function typeBehind(place: Place, at: number): number | undefined {
  const { tokens } = place;
  const sign = tokens[at + 1];
  if (sign?.kind !== 'symbol' || !(COMPARES.test(sign.text) || ARITHMETIC.test(sign.text)))
    return undefined;
  const behind = isSymbol(tokens[at + 3], '.') ? at + 4 : at + 2;
  return typeOf(place, behind);
}

/** The type of the column or the number that stands there. */
function typeOf({ tokens, columns }: Place, at: number): number | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  if (token.kind === 'number') return /[.e]/i.test(token.text) ? FLOAT8 : INT8;
  if (isWord(token, 'true', 'false')) return BOOL;
  return isName(token) && !isSymbol(tokens[at + 1], '(') ? columns.get(token.value) : undefined;
}

const arrayOf = (oid: number | undefined): number | undefined =>
  oid === undefined ? undefined : ARRAY_OF_OID.get(oid);
