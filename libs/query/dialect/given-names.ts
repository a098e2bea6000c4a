import type { Token } from '../search/statement-tokens.js';
import { isKeyword } from './operands.js';

export const isPoint = (token: Token | undefined): boolean => token?.text === '.';
export const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'name';

/** A name that a statement gives: of a column of a SELECT, of a table in FROM, or of WITH. */
interface GivenName {
  readonly token: Token;
  /** Whether it names a column of a SELECT list. */
  readonly isColumn: boolean;
  /** Whether the answer does not show it, as of a SELECT in FROM. */
  readonly isInner: boolean;
}

interface StatementNames {
  readonly given: readonly GivenName[];
  /** Words of ORDER BY and HAVING of the answer's own SELECT: there the output's name comes first. */
  readonly ofOutput: ReadonlySet<Token>;
}

/** A bracket, or the whole statement, while it is read. */
interface Frame {
  readonly isQuery: boolean;
  readonly isInner: boolean;
  clause: string;
}

const CLAUSE =
  /^(?:WITH|SELECT|FROM|PREWHERE|WHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|UNION|INTERSECT|EXCEPT)$/i;
const BEFORE_OPERAND = /^(?:UNION|INTERSECT|EXCEPT|ALL|DISTINCT|\()$/i;
const OF_OUTPUT = /^(?:ORDER|HAVING|QUALIFY)$/;
const MATERIALIZED = /^(?:NOT|MATERIALIZED)$/i;

/** Finds the names that a statement gives, and where they stand. */
export function namesIn(tokens: readonly Token[]): StatementNames {
  const given: GivenName[] = [];
  const ofOutput = new Set<Token>();
  const whole: Frame = { isQuery: true, isInner: false, clause: '' };
  const path: Frame[] = [whole];
  for (const [at, token] of tokens.entries()) {
    const frame = path.at(-1) ?? whole;
    if (/^[([{]$/.test(token.text)) path.push(frameAt(tokens, at, frame));
    else if (/^[)\]}]$/.test(token.text) && path.length > 1) path.pop();
    const query = path.findLast(({ isQuery }) => isQuery) ?? whole;
    if (!isName(token)) continue;
    if (frame.isQuery && beginsClause(tokens, at)) frame.clause = token.text.toUpperCase();
    else if (isGiven(tokens, at)) {
      const isColumn = frame.isQuery && frame.clause === 'SELECT';
      given.push({ token, isColumn, isInner: frame.isInner });
    } else if (!query.isInner && OF_OUTPUT.test(query.clause) && !isPoint(tokens[at - 1]))
      ofOutput.add(token);
  }
  return { given, ofOutput };
}

function frameAt(tokens: readonly Token[], at: number, outer: Frame): Frame {
  let first = at;
  while (tokens[first]?.text === '(') first += 1;
  const isQuery = tokens[at]?.text === '(' && /^(?:SELECT|WITH)$/i.test(tokens[first]?.text ?? '');
  const before = tokens[at - 1];
  // `(SELECT …) UNION (SELECT …)` answers what stands within the brackets.
  const isOperand = before === undefined || BEFORE_OPERAND.test(before.text);
  return { isQuery, isInner: outer.isInner || (isQuery && !isOperand), clause: '' };
}

function beginsClause(tokens: readonly Token[], at: number): boolean {
  const { kind, text } = tokens[at] as Token;
  if (kind !== 'word' || !CLAUSE.test(text)) return false;
  const [before, next] = [tokens[at - 1]?.text ?? '', tokens[at + 1]?.text ?? ''];
  if (/^(?:AS|\.)$/i.test(before) || next === '.') return false;
  if (/^(?:GROUP|ORDER)$/i.test(text)) return /^BY$/i.test(next);
  return !(/^FROM$/i.test(text) && /^DISTINCT$/i.test(before));
}

/** Whether it stands behind AS, behind an expression, or before the AS of WITH. */
function isGiven(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at] as Token;
  const [before, next, second] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  if (!before || isPoint(next) || isPoint(before)) return false;
  // Behind AS every word is a name.
  if (/^AS$/i.test(before.text) && before.kind === 'word')
    return !MATERIALIZED.test(token.text) || !/^(?:\(|MATERIALIZED)$/i.test(next?.text ?? '');
  const isOfWith = /^AS$/i.test(next?.text ?? '') && second?.text === '(';
  if (isOfWith && /^(?:WITH|RECURSIVE|,)$/i.test(before.text)) return true;
  if (token.kind === 'word' && isKeyword(token.text)) return false;
  if (isOfWith) return true;
  if (before.kind === 'symbol') return /^[)\]]$/.test(before.text);
  return before.kind !== 'word' || !isKeyword(before.text);
}

/**
 * The one spelling of each name that only the SELECTs within a statement give, in several cases:
 * in SQL `AS RETURNS` and `returns` are one name. By the name in lower case.
 * @param columns names of the columns of the tables that the statement reads.
 */
export function sharedSpellings(
  { given }: StatementNames,
  tokens: readonly Token[],
  columns: Iterable<string>,
): ReadonlyMap<string, string> {
  const classes = new Map<string, Token[]>();
  for (const { token, isColumn, isInner } of given)
    if (isColumn && isInner) listIn(classes, token.value.toLowerCase()).push(token);
  if (classes.size === 0) return new Map();
  const byClass = (names: Iterable<string>): Map<string, Set<string>> => {
    const found = new Map<string, Set<string>>();
    for (const name of names) {
      const key = name.toLowerCase();
      if (classes.has(key)) found.set(key, (found.get(key) ?? new Set()).add(name));
    }
    return found;
  };
  const ofTables = byClass(columns);
  const quoted = byClass(tokens.filter(({ kind }) => kind === 'name').map(({ value }) => value));
  const shown = byClass(
    given.filter((name) => name.isColumn && !name.isInner).map(({ token }) => token.value),
  );
  const spellings = new Map<string, string>();
  for (const [key, inner] of classes) {
    // Names in quotes are told apart by their case.
    if (inner.some(({ kind }) => kind === 'name')) continue;
    const said = new Set([...(quoted.get(key) ?? []), ...(ofTables.get(key) ?? [])]);
    if (said.size > 1) continue;
    const [first = inner[0]?.value ?? key] = said.size === 1 ? said : (shown.get(key) ?? []);
    spellings.set(key, first);
  }
  return spellings;
}

function listIn(lists: Map<string, Token[]>, key: string): Token[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
