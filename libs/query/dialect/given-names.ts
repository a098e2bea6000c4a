import { certain } from '@app/platform';
import type { Token } from '../search/statement-tokens.js';
import { isKeyword } from './operands.js';

export const isPoint = (token: Token | undefined): boolean => token?.text === '.';
export const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'name';

/** A name that a statement defines: of a column of a SELECT, of a table in FROM, or in WITH. */
interface GivenName {
  readonly token: Token;
  /** True if it is the name of a column of a SELECT list. */
  readonly isColumn: boolean;
  /** Tells whether the answer hides the name, as for a SELECT in FROM. */
  readonly isInner: boolean;
  /** The bracket around it, and the number of the SELECT within a UNION. */
  readonly frame: object;
  readonly branch: number;
}

interface StatementNames {
  readonly given: readonly GivenName[];
  /**
   * The words in ORDER BY and HAVING of the outermost SELECT. There, the output's name takes
   * precedence.
   */
  readonly ofOutput: ReadonlySet<Token>;
}

/** A bracket, or the whole statement, while it is read. */
interface Frame {
  readonly isQuery: boolean;
  readonly isInner: boolean;
  /** The SELECT of the bracket: itself, or one around it. */
  readonly query: Frame | undefined;
  clause: string;
  branch: number;
}

const CLAUSE =
  /^(?:WITH|SELECT|FROM|PREWHERE|WHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|LIMIT|UNION|INTERSECT|EXCEPT)$/i;
const BEFORE_OPERAND = /^(?:UNION|INTERSECT|EXCEPT|ALL|DISTINCT|\()$/i;
const BETWEEN_BRANCHES = /^(?:UNION|INTERSECT|EXCEPT)$/;
const OF_OUTPUT = /^(?:ORDER|HAVING|QUALIFY)$/;
const MATERIALIZED = /^(?:NOT|MATERIALIZED)$/i;

/** Finds the names that a statement defines, and their places. */
export function namesIn(tokens: readonly Token[]): StatementNames {
  const given: GivenName[] = [];
  const ofOutput = new Set<Token>();
  const whole: Frame = { isQuery: true, isInner: false, query: undefined, clause: '', branch: 0 };
  const path: Frame[] = [whole];
  const behind = behindBrackets(tokens);
  for (const [at, token] of tokens.entries()) {
    const frame = path.at(-1) ?? whole;
    if (/^[([{]$/.test(token.text)) path.push(frameAt(tokens, at, frame, behind));
    else if (/^[)\]}]$/.test(token.text) && path.length > 1) path.pop();
    if (!isName(token)) continue;
    const query = frame.isQuery ? frame : (frame.query ?? whole);
    if (frame.isQuery && beginsClause(tokens, at)) {
      frame.clause = token.text.toUpperCase();
      if (BETWEEN_BRANCHES.test(frame.clause)) frame.branch += 1;
    } else if (isGiven(tokens, at)) {
      const isColumn = frame.isQuery && frame.clause === 'SELECT';
      const { isInner, branch } = frame;
      given.push({ token, isColumn, isInner, frame, branch });
    } else if (!query.isInner && OF_OUTPUT.test(query.clause) && !isPoint(tokens[at - 1]))
      ofOutput.add(token);
  }
  return { given, ofOutput };
}

/** @returns for each token the place of the first following token that is no `(`. */
function behindBrackets(tokens: readonly Token[]): readonly number[] {
  const behind = tokens.map((_, at) => at);
  for (let at = tokens.length - 2; at >= 0; at -= 1)
    if (tokens[at]?.text === '(') behind[at] = certain(behind[at + 1], 'place behind a bracket');
  return behind;
}

function frameAt(
  tokens: readonly Token[],
  at: number,
  outer: Frame,
  behind: readonly number[],
): Frame {
  const first = tokens[certain(behind[at], 'place behind a bracket')]?.text ?? '';
  const isQuery = tokens[at]?.text === '(' && /^(?:SELECT|WITH)$/i.test(first);
  const before = tokens[at - 1];
  // `(SELECT …) UNION (SELECT …)` answers what stands within the brackets.
  const isOperand = before === undefined || BEFORE_OPERAND.test(before.text);
  const isInner = outer.isInner || (isQuery && !isOperand);
  const query = outer.isQuery ? outer : outer.query;
  return { isQuery, isInner, query, clause: '', branch: 0 };
}

function beginsClause(tokens: readonly Token[], at: number): boolean {
  const { kind, text } = tokens[at] as Token;
  if (kind !== 'word' || !CLAUSE.test(text)) return false;
  const [before, next] = [tokens[at - 1]?.text ?? '', tokens[at + 1]?.text ?? ''];
  if (/^(?:AS|\.)$/i.test(before) || next === '.') return false;
  if (/^(?:GROUP|ORDER)$/i.test(text)) return /^BY$/i.test(next);
  return !(/^FROM$/i.test(text) && /^DISTINCT$/i.test(before));
}

/** True for a name after AS, after an expression, or before the AS of WITH. */
function isGiven(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at] as Token;
  const [before, next, second] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  if (!before || isPoint(next) || isPoint(before)) return false;
  // Every word after AS is a name.
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
 * Finds the one spelling of each name that only the SELECTs within a statement give, in several
 * cases: in SQL `AS RETURNS` and `returns` are one name. Names that the author may distinguish by
 * case stay as they are: the statement fails rather than confuse them.
 * @param columns names of the columns of the tables that the statement reads.
 * @returns spellings by the name in lower case.
 */
export function sharedSpellings(
  { given }: StatementNames,
  tokens: readonly Token[],
  columns: Iterable<string>,
): ReadonlyMap<string, string> {
  const classes = new Map<string, GivenName[]>();
  for (const name of given)
    if (name.isColumn && name.isInner) listIn(classes, name.token.value.toLowerCase()).push(name);
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
  const isGivenToken = new Set(given.map(({ token }) => token));
  const used = byClass(
    tokens.filter((token) => isName(token) && !isGivenToken.has(token)).map(({ value }) => value),
  );
  const shown = byClass(
    given.filter((name) => name.isColumn && !name.isInner).map(({ token }) => token.value),
  );
  const spellings = new Map<string, string>();
  for (const [key, inner] of classes) {
    // Names in quotes are distinguished by their case.
    if (inner.some(({ token }) => token.kind === 'name') || ofTables.has(key)) continue;
    const own = new Set(inner.map(({ token }) => token.value));
    const said = quoted.get(key) ?? new Set();
    if (said.size > 1 || (own.size > 1 && !isOne(inner, own, used.get(key)))) continue;
    const [first = key] = said.size === 1 ? said : own.size === 1 ? own : (shown.get(key) ?? own);
    spellings.set(key, first);
  }
  return spellings;
}

/**
 * Tells whether names in different cases mean one column: those of the SELECTs of a UNION, or those
 * of others if something refers to them by none of their spellings.
 */
function isOne(
  names: readonly GivenName[],
  spellings: ReadonlySet<string>,
  used: ReadonlySet<string> = new Set(),
): boolean {
  const frames = new Set(names.map(({ frame }) => frame));
  if (frames.size === 1) return new Set(names.map(({ branch }) => branch)).size === names.length;
  return [...used].some((use) => !spellings.has(use));
}

function listIn(lists: Map<string, GivenName[]>, key: string): GivenName[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
