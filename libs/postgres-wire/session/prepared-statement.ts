import type { Column } from '@app/warehouse';
import { engineText, type EngineText } from '../statements/engine-text.js';
import type { StatementText } from '../statements/postgres-tokens.js';
import { sessionStatement, type SessionStatement } from '../statements/session-statement.js';
import type { EngineValue } from '../types/parameter-value.js';

/** What answers a statement. */
export type StatementKind = 'empty' | 'session' | 'catalog' | 'engine';

/** A statement that has been sent, and may be run many times. */
export interface PreparedStatement {
  readonly kind: StatementKind;
  readonly statement: StatementText;
  readonly session: SessionStatement | undefined;
  /** OIDs of parameters that the client has said; 0: it has not. */
  readonly given: readonly number[];
  /** OIDs of all parameters. */
  readonly types: readonly number[];
  /** Of an engine's statement, when it has been described. */
  columns?: Promise<readonly Column[]>;
}

export const NOTHING: StatementText = { text: '', tokens: [], start: 0 };

export function prepared(
  statement: StatementText,
  asksCatalog: () => boolean,
  given: readonly number[],
  typesOf: (kind: StatementKind) => readonly number[],
): PreparedStatement {
  const session = sessionStatement(statement.tokens);
  const isEmpty = statement.tokens.length === 0;
  const kind = isEmpty ? 'empty' : session ? 'session' : asksCatalog() ? 'catalog' : 'engine';
  return { kind, statement, session, given, types: typesOf(kind) };
}

/** The statement for the engine, with these values in it. */
export function boundText(
  { statement }: PreparedStatement,
  values: readonly (EngineValue | null)[],
): { readonly written: EngineText; readonly values: Readonly<Record<string, string>> } {
  const texts: Record<string, string> = {};
  const written = engineText(statement, (number) => {
    const value = values[number - 1];
    if (!value) return 'NULL';
    texts[`p${number}`] = value.text;
    return `{p${number}:${value.type}}`;
  });
  return { written, values: texts };
}
