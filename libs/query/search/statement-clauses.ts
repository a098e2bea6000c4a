import { certain } from '@app/platform';
import { clausesOf, isSetOperator } from '../dialect/queries/select-clauses.js';
import {
  endOf,
  isList,
  isWord,
  itemsOf,
  startOf,
  treeOf,
  type Nodes,
} from '../dialect/source-tree.js';
import { SEARCH_CODE, searchError } from './search-error.js';
import { isName, tokenize, type Token } from './statement-tokens.js';

const KEYWORDS = [
  'WITH',
  'SELECT',
  'FROM',
  'PREWHERE',
  'WHERE',
  'GROUP BY',
  'HAVING',
  'WINDOW',
  'QUALIFY',
  'ORDER BY',
  'LIMIT BY',
  'LIMIT',
  'OFFSET',
  'SETTINGS',
] as const;
export type Keyword = (typeof KEYWORDS)[number];

/** A SELECT as its clauses, each with its keyword. */
export interface Clauses {
  /** True for several combined SELECTs, or one in brackets: these have no clauses of their own. */
  readonly compound: boolean;
  /** The clauses, in the order of the statement. */
  readonly clauses: ReadonlyMap<Keyword, string>;
  /** The items of the select list, each as written. */
  readonly selected: readonly string[];
}

/** Splits a canonical statement at the keywords that are not within brackets. */
export function splitStatement(statement: string): Clauses {
  const nodes = nodesOf(statement);
  const compound = isList(nodes[0]) || nodes.some((_, at) => isSetOperator(nodes, at));
  const clauses = new Map<Keyword, string>();
  let selected: readonly string[] = [];
  // FORMAT and INTO stay with the clause before them: the guard refuses both.
  const starts = clausesOf(nodes).filter(({ word }) => word !== 'FORMAT' && word !== 'INTO');
  for (const [index, { word, at, from }] of starts.entries()) {
    const within = nodes.slice(from, starts[index + 1]?.at);
    clauses.set(keywordOf(word, from > at + 1, within), textOf(statement, within));
    if (word === 'SELECT') selected = itemTexts(statement, within);
  }
  return { compound, clauses, selected };
}

/** @param isBy whether BY follows the word */
function keywordOf(word: string, isBy: boolean, within: Nodes): Keyword {
  const isLimitBy = word === 'LIMIT' && within.some((node) => isWord(node, 'BY'));
  const name = isBy || isLimitBy ? `${word} BY` : word;
  return certain(
    KEYWORDS.find((keyword) => keyword === name),
    `clause ${name} of a search`,
  );
}

/** The items of a list, split at its outermost commas. */
export const splitList = (list: string): readonly string[] => itemTexts(list, nodesOf(list));

const itemTexts = (text: string, list: Nodes): readonly string[] =>
  itemsOf(list).map((item) => textOf(text, item));

const textOf = (text: string, nodes: Nodes): string => text.slice(startOf(nodes), endOf(nodes));

/**
 * @throws {MillraceError} INVALID_SEARCH if brackets are nested too deeply; they are paired, since
 *   the engine printed them
 */
function nodesOf(canonical: string): Nodes {
  const nodes = treeOf(tokenize(canonical));
  if (nodes) return nodes;
  throw searchError(
    SEARCH_CODE.invalidSql,
    'the statement has too many brackets within one another',
  );
}

/** Joins clauses into a statement again, in the engine's order. */
export function joinClauses(clauses: ReadonlyMap<Keyword, string>): string {
  return KEYWORDS.flatMap((keyword) => {
    const text = clauses.get(keyword);
    return text === undefined ? [] : [`${keyword === 'LIMIT BY' ? 'LIMIT' : keyword} ${text}`];
  }).join(' ');
}

const BEFORE_TABLE = /^(?:FROM|JOIN|IN|,|\()$/;

/** Names at places where a table may stand. */
export function tableNames(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(
    tokens
      .filter(
        (token, index) =>
          isName(token) &&
          BEFORE_TABLE.test(tokens[index - 1]?.text ?? '') &&
          tokens[index + 1]?.text !== '(',
      )
      .map(({ value }) => value),
  );
}
