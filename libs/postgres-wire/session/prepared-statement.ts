import { certain } from '@app/platform';
import { quoteText, type Column } from '@app/warehouse';
import { engineText, type EngineText, type WrittenPlace } from '../statements/engine-text.js';
import type { StatementText } from '../statements/postgres-tokens.js';
import { sessionStatement, type SessionStatement } from '../statements/session-statement.js';
import type { Wide } from '../values/postgres-type.js';
import type { EngineValue } from '../values/parameter-value.js';

/** The component that answers a statement. */
type StatementKind = 'empty' | 'session' | 'catalog' | 'engine';

/** A prepared statement, which may be run many times. */
export interface PreparedStatement {
  readonly kind: StatementKind;
  readonly statement: StatementText;
  readonly session: SessionStatement | undefined;
  /** The OIDs of parameters as the client declared them; 0: undeclared. */
  readonly given: readonly number[];
  /** OIDs of all parameters. */
  readonly types: readonly number[];
  /** The places of texts that are bytes without a cast. */
  readonly bytes: ReadonlySet<number>;
  readonly wide: Wide;
  /** The columns of an engine's statement, once it has been described. */
  columns?: Promise<readonly Column[]>;
}

export const NOTHING: StatementText = { text: '', tokens: [], start: 0 };

export function prepared(
  statement: StatementText,
  asksCatalog: () => boolean,
  given: readonly number[],
  valuesOf: (kind: StatementKind) => Pick<PreparedStatement, 'types' | 'bytes'>,
  wide: Wide,
): PreparedStatement {
  const session = sessionStatement(statement);
  const isEmpty = statement.tokens.length === 0;
  const kind = isEmpty ? 'empty' : session ? 'session' : asksCatalog() ? 'catalog' : 'engine';
  return { kind, statement, session, given, wide, ...valuesOf(kind) };
}

/** OIDs of integers from the narrowest to the widest, and what the engine calls them. */
const INTEGERS: readonly number[] = [21, 23, 20];
const INTEGER_TYPES = ['Int16', 'Int32', 'Int64'];

/** The statement for the engine, with these values in it. */
export function boundText(
  { statement, types, bytes }: PreparedStatement,
  values: readonly (EngineValue | null)[],
  database: string,
): { readonly written: EngineText; readonly values: Readonly<Record<string, string>> } {
  const texts: Record<string, string> = {};
  const written = engineText(
    statement,
    (number, cast, place) => {
      const value = values[number - 1];
      if (!value) return { text: 'NULL' };
      const type = certain(types[number - 1], `type of parameter ${number}`);
      const isWider = INTEGERS.indexOf(type) <= INTEGERS.indexOf(cast?.oid ?? 0) && INTEGERS.includes(type); // prettier-ignore
      const isCast = cast !== undefined && (cast.oid === type || isWider || cast.isRows);
      const integer = isCast && isWider ? INTEGER_TYPES[INTEGERS.indexOf(cast.oid)] : undefined;
      if (place) return { text: WRITTEN[place](value), isCast: true };
      texts[`p${number}`] = value.text;
      const text = `{p${number}:${integer ?? value.type}}`;
      const outer = value.isHex ? 'unhex' : value.unit && `toInterval${value.unit}`;
      return { text: outer ? `${outer}(${text})` : text, isCast };
    },
    database,
    bytes,
  );
  return { written, values: texts };
}

/** Writes a value into the statement, where the dialect reads it. */
const WRITTEN: Readonly<Record<WrittenPlace, (value: EngineValue) => string>> = {
  // A key is a number for a list, and a text for an object.
  key: ({ type, text }) => (/^Int/.test(type) ? text : quoteText(text)),
  pattern: ({ text }) => quoteText(text),
  // A statement is described before it has values, and an empty unit is none.
  unit: ({ text, isAny }) => quoteText(isAny ? 'day' : text),
};
