import type { Column } from '@app/warehouse';
import { UNKNOWN } from '../types/parameter-value.js';
import { postgresType, TEXT_TYPE } from '../types/postgres-type.js';
import { isName, isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

/** OIDs of what numbers and truths in a statement are. */
const [INT8, FLOAT8, BOOL] = [20, 701, 16];
/** As PostgreSQL's message has it. */
const PARAMETERS_MAX = 65_535;
const COMPARES = /^(?:=|<>|!=|<|>|<=|>=)$/;
const ARITHMETIC = /^[-+*/%]$/;

/** How many parameters a statement has: the greatest number of one. */
export const parameterCount = (tokens: readonly PostgresToken[]): number =>
  Math.min(
    PARAMETERS_MAX,
    tokens.reduce(
      (most, { kind, value }) => (kind === 'parameter' ? Math.max(most, Number(value)) : most),
      0,
    ),
  );

/**
 * OIDs of the parameters: what the client says, else the type of what each is compared with, else text.
 * @param columns those that the statement may name
 */
export function parameterTypes(
  tokens: readonly PostgresToken[],
  given: readonly number[],
  columns: readonly Column[],
): readonly number[] {
  return Array.from({ length: Math.max(parameterCount(tokens), given.length) }, (_, index) => {
    const said = given[index] ?? UNKNOWN;
    if (said !== UNKNOWN && said !== UNKNOWN_OID) return said;
    for (const [at, token] of tokens.entries()) {
      if (token.kind !== 'parameter' || Number(token.value) !== index + 1) continue;
      const found = typeAt(tokens, at, columns);
      if (found !== undefined) return found;
    }
    return TEXT_TYPE.oid;
  });
}

/** What psycopg calls a text that may be anything. */
const UNKNOWN_OID = 705;

function typeAt(
  tokens: readonly PostgresToken[],
  at: number,
  columns: readonly Column[],
): number | undefined {
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  // A cast reads the text.
  if (isSymbol(next, '::') || isWord(next, 'as')) return undefined;
  if (isWord(before, 'limit', 'offset', 'first', 'next')) return INT8;
  if (before?.kind === 'symbol' && (COMPARES.test(before.text) || ARITHMETIC.test(before.text)))
    return typeOf(tokens, at - 2, columns) ?? typeBehind(tokens, at, columns);
  if (isWord(before, 'between')) return typeOf(tokens, at - 2 - Number(isWord(tokens[at - 2], 'not')), columns); // prettier-ignore
  if (isWord(before, 'and') && isWord(tokens[at - 3], 'between')) return typeOf(tokens, at - 4, columns); // prettier-ignore
  const list = openOf(tokens, at);
  if (list !== undefined && isWord(tokens[list - 1], 'in'))
    return typeOf(tokens, list - 2 - Number(isWord(tokens[list - 2], 'not')), columns);
  if (list !== undefined && isWord(tokens[list - 1], 'any', 'all', 'some'))
    return arrayOf(typeOf(tokens, list - 3, columns));
  return typeBehind(tokens, at, columns);
}

function typeBehind(tokens: readonly PostgresToken[], at: number, columns: readonly Column[]) {
  const sign = tokens[at + 1];
  if (sign?.kind !== 'symbol' || !(COMPARES.test(sign.text) || ARITHMETIC.test(sign.text)))
    return undefined;
  const behind = isSymbol(tokens[at + 3], '.') ? at + 4 : at + 2;
  return typeOf(tokens, behind, columns);
}

/** Of what stands there, where it is a column or a number. */
function typeOf(
  tokens: readonly PostgresToken[],
  at: number,
  columns: readonly Column[],
): number | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  if (token.kind === 'number') return /[.e]/i.test(token.text) ? FLOAT8 : INT8;
  if (isWord(token, 'true', 'false')) return BOOL;
  if (!isName(token) || isSymbol(tokens[at + 1], '(')) return undefined;
  const exact = columns.filter(({ name }) => name === token.value);
  const named =
    exact.length > 0 ? exact : columns.filter(({ name }) => name.toLowerCase() === token.value);
  const types = new Set(named.map(({ type }) => postgresType(type).oid));
  return types.size === 1 ? [...types][0] : undefined;
}

const arrayOf = (oid: number | undefined): number | undefined =>
  oid === undefined ? undefined : ARRAYS.get(oid);

const ARRAYS = new Map(
  ['Bool', 'Int16', 'Int32', 'Int64', 'Float32', 'Float64', 'String', 'Date', 'UUID', 'DateTime', 'DateTime64(6)'].map((type) => [postgresType(type).oid, postgresType(`Array(${type})`).oid]), // prettier-ignore
);

/** The bracket that the token stands in. */
function openOf(tokens: readonly PostgresToken[], at: number): number | undefined {
  const depth = tokens[at]?.depth ?? 0;
  for (let index = at - 1; index >= 0; index -= 1)
    if (isSymbol(tokens[index], '(') && tokens[index]?.depth === depth - 1) return index;
  return undefined;
}
