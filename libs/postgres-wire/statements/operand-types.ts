import { castBehind, oidOfWord } from './cast-behind.js';
import { isName, isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

/** OIDs of PostgreSQL. */
export const [INT8, INT4, TEXT, FLOAT8, BOOL, NUMERIC] = [20, 23, 25, 701, 16, 1700];

/** A statement whose values have types. */
export interface Operands {
  readonly tokens: readonly PostgresToken[];
  /** OIDs by the columns' names; undefined where there are several. */
  readonly columns: ReadonlyMap<string, number | undefined>;
  /** The opening bracket of each closing one, and the other way round. */
  readonly brackets: ReadonlyMap<number, number>;
  /** The types that were found, by the place of their opening bracket: many values may stand beside one. */
  readonly found: Map<number, number | undefined>;
}

/** The places of brackets that belong together. */
export function bracketPairs(tokens: readonly PostgresToken[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (isSymbol(token, '(')) open.push(at);
    const start = isSymbol(token, ')') ? open.pop() : undefined;
    if (start !== undefined) pairs.set(at, start).set(start, at);
  }
  return pairs;
}

export const COMPARES = /^(?:=|<>|!=|<|>|<=|>=)$/;
const TRUTHS = ['and', 'or', 'not', 'is', 'in', 'like', 'ilike', 'between'];
/** Words before a bracket that call nothing. */
const NO_CALLS =
  /^(?:in|any|all|some|and|or|not|where|on|having|when|then|else|by|between|case|like|ilike|select|distinct)$/;
const OF_CALLS: Readonly<Record<string, number>> = {
  ...{ count: INT8, length: INT4, char_length: INT4, character_length: INT4, octet_length: INT4 },
  ...{ bit_length: INT4, position: INT4, strpos: INT4, ascii: INT4, array_length: INT4 },
  ...{ cardinality: INT4, extract: NUMERIC, date_part: FLOAT8, avg: FLOAT8, sqrt: FLOAT8 },
  ...{ lower: TEXT, upper: TEXT, trim: TEXT, concat: TEXT, left: TEXT, right: TEXT },
};
/** Calls whose value has the type of an argument. */
const OF_ARGUMENT =
  /^(?:abs|any_value|ceil|ceiling|coalesce|date_bin|date_trunc|first_value|floor|greatest|ifnull|lag|last_value|lead|least|max|min|mod|nullif|round|sign|trunc)$/;
/** The deepest nesting that is looked into. */
const DEPTH_MAX = 20;

/** The type of the value whose last token stands there. */
export function typeOfValue(of: Operands, at: number, depth = 0): number | undefined {
  const { tokens, columns, brackets } = of;
  const token = tokens[at];
  if (!token || depth > DEPTH_MAX) return undefined;
  for (const before of [at - 2, at - 3]) {
    const cast = castBehind(tokens, before);
    if (cast?.end === token.end) return cast.oid;
  }
  const open = isSymbol(token, ')') ? brackets.get(at) : undefined;
  if (open !== undefined) return typeOfBrackets(of, open, at, depth + 1);
  if (token.kind === 'number') return /[.e]/i.test(token.text) ? FLOAT8 : INT8;
  if (token.kind === 'text') return isWord(tokens[at - 1], 'interval') ? FLOAT8 : undefined;
  if (isWord(token, 'true', 'false')) return BOOL;
  return isName(token) && !isSymbol(tokens[at + 1], '(') ? columns.get(token.value) : undefined;
}

/** The type of the value that begins there. */
export function typeFrom(of: Operands, at: number): number | undefined {
  const { tokens, brackets } = of;
  if (isSymbol(tokens[at], '-')) return typeFrom(of, at + 1);
  if (isWord(tokens[at], 'interval')) return FLOAT8;
  if (isSymbol(tokens[at + 1], '.')) return typeOfValue(of, at + 2);
  const open = isSymbol(tokens[at], '(') ? at : at + 1;
  const close = isSymbol(tokens[open], '(') ? brackets.get(open) : undefined;
  return typeOfValue(of, close ?? at);
}

function typeOfBrackets(
  of: Operands,
  open: number,
  close: number,
  depth: number,
): number | undefined {
  if (!of.found.has(open)) of.found.set(open, typeOfCall(of, open, close, depth));
  return of.found.get(open);
}

/** The type of a call, or of an expression in brackets. */
function typeOfCall(of: Operands, open: number, close: number, depth: number): number | undefined {
  const name = of.tokens[open - 1];
  if (!isName(name) || (name.kind === 'word' && NO_CALLS.test(name.value))) return typeWithin(of, open + 1, close, depth); // prettier-ignore
  const call = name.value.toLowerCase();
  if (/^(?:try_)?cast$/.test(call)) return isWord(of.tokens[close - 2], 'as') ? oidOfWord(of.tokens[close - 1]) : undefined; // prettier-ignore
  if (Object.hasOwn(OF_CALLS, call)) return OF_CALLS[call];
  if (call === 'sum') return SUMS.get(typeWithin(of, open + 1, close, depth));
  return OF_ARGUMENT.test(call) ? typeWithin(of, open + 1, close, depth) : undefined;
}

/** The type of a sum, by that of what is summed up: of integers of 64 bits it has more. */
const SUMS: ReadonlyMap<number | undefined, number> = new Map([
  ...[21, INT4].map((oid): [number, number] => [oid, INT8]),
  ...[INT8, NUMERIC].map((oid): [number, number] => [oid, NUMERIC]),
  ...[700, FLOAT8].map((oid): [number, number] => [oid, FLOAT8]),
]);

/**
 * The type of what stands between two places: that of a truth where something is compared, else
 * that of the first column or call, else that of a number.
 */
export function typeWithin(of: Operands, from: number, to: number, depth = 0): number | undefined {
  let literal: number | undefined;
  let found: number | undefined;
  for (let at = from; at < to; at += 1) {
    const token = of.tokens[at];
    if ((token?.kind === 'symbol' && COMPARES.test(token.text)) || isWord(token, ...TRUTHS)) return BOOL; // prettier-ignore
    const close = isSymbol(token, '(') ? of.brackets.get(at) : undefined;
    // The brackets of a call are looked at as a whole.
    if (close !== undefined) at = close;
    const type = typeOfValue(of, at, depth);
    if (token?.kind === 'number') literal ??= type;
    else found ??= type;
  }
  return found ?? literal;
}
