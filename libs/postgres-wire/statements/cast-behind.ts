import { certain } from '@app/platform';
import { ARRAY_OF_OID } from '../values/postgres-type.js';
import { isSymbol, isWord, type PostgresToken } from './postgres-tokens.js';

/** A cast `::type` behind an expression. */
export interface Cast {
  /** OID of the type. */
  readonly oid: number;
  /** The place behind it. */
  readonly end: number;
  /** Tells whether it is a number of rows, for which the engine accepts only a plain number. */
  readonly isRows: boolean;
}

const OIDS: Readonly<Record<string, number>> = {
  ...{ bool: 16, boolean: 16, smallint: 21, int2: 21, int: 23, integer: 23, int4: 23 },
  ...{ bigint: 20, int8: 20, real: 700, float4: 700, float8: 701, double: 701, numeric: 1700 },
  ...{ decimal: 1700, text: 25, varchar: 25, date: 1082, time: 1083, timestamp: 1114 },
  ...{ timestamptz: 1184, uuid: 2950, bytea: 17, json: 3802, jsonb: 3802, interval: 1186 },
};
/** Types of several words, by what follows the first. */
const LONGER: Readonly<Record<string, readonly [words: readonly string[], oid: number]>> = {
  double: [['precision'], 701],
  timestamp: [['with', 'time', 'zone'], 1184],
};

/** The OID of a type that is one word. */
export const oidOfWord = (type: PostgresToken | undefined): number | undefined =>
  type && Object.hasOwn(OIDS, type.value) ? OIDS[type.value] : undefined;

/** The cast behind a token. It is undefined when there is no cast, or its type has a precision. */
export function castBehind(tokens: readonly PostgresToken[], at: number): Cast | undefined {
  const name = tokens[at + 2];
  const known = (name?.kind === 'word' || name?.kind === 'name') && Object.hasOwn(OIDS, name.value) ? OIDS[name.value] : undefined; // prettier-ignore
  if (!isSymbol(tokens[at + 1], '::') || !name || known === undefined) return undefined;
  const [words, longer] = LONGER[name.value] ?? [[], known];
  const isLonger = words.length > 0 && words.every((word, index) => isWord(tokens[at + 3 + index], word)); // prettier-ignore
  const scalar = isLonger ? longer : known;
  const behind = at + 3 + (isLonger ? words.length : 0);
  if (isSymbol(tokens[behind], '(')) return undefined;
  const isArray = isSymbol(tokens[behind], '[') && isSymbol(tokens[behind + 1], ']');
  const oid = isArray ? ARRAY_OF_OID.get(scalar) : scalar;
  const { end } = certain(tokens[isArray ? behind + 1 : behind - 1], 'end of a cast');
  const isRows = isWord(tokens[at - 1], 'limit', 'offset', 'first', 'next');
  return oid === undefined ? undefined : { oid, end, isRows };
}
