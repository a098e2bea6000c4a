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

/** A SELECT in its clauses: what stands after each keyword. */
export interface Clauses {
  /** Several SELECTs put together, or one in brackets: there are no clauses to tell apart. */
  readonly compound: boolean;
  /** In the order of the statement. */
  readonly clauses: ReadonlyMap<Keyword, string>;
  /** What is in the select list, each as written. */
  readonly selected: readonly string[];
}

const SET_OPERATOR = /^(?:UNION|INTERSECT|EXCEPT)$/;

/** Parts a canonical statement at the keywords that stand outside of all brackets. */
export function partStatement(statement: string): Clauses {
  const tokens = tokenize(statement);
  const starts: { readonly keyword: Keyword; readonly from: number; readonly at: number }[] = [];
  let compound = tokens[0]?.text === '(';
  for (const [index, token] of tokens.entries()) {
    if (token.depth > 0 || token.kind !== 'word' || isNameThere(tokens, index)) continue;
    if (SET_OPERATOR.test(token.text) && startsSelect(tokens, index + 1)) compound = true;
    const keyword = keywordAt(tokens, index);
    if (keyword && follows(keyword, starts.at(-1)?.keyword))
      starts.push({ keyword, at: token.start, from: endOf(tokens, index, keyword) });
  }
  const clauses = new Map<Keyword, string>();
  for (const [index, { keyword, from }] of starts.entries()) {
    const text = statement.slice(from, starts[index + 1]?.at ?? statement.length).trim();
    const by = keyword === 'LIMIT' && isLimitBy(text);
    clauses.set(by ? 'LIMIT BY' : keyword, text);
  }
  return { compound, clauses, selected: partList(clauses.get('SELECT') ?? '') };
}

/** A word behind AS or a dot, or before one, is a name. */
function isNameThere(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.text;
  return before === 'AS' || before === '.' || tokens[index + 1]?.text === '.';
}

function startsSelect(tokens: readonly Token[], index: number): boolean {
  const text = tokens[index]?.text ?? '';
  if (/^(?:ALL|DISTINCT)$/.test(text)) return startsSelect(tokens, index + 1);
  if (text === '(') return startsSelect(tokens, index + 1);
  return text === 'SELECT' || text === 'WITH';
}

function keywordAt(tokens: readonly Token[], index: number): Keyword | undefined {
  const text = tokens[index]?.text ?? '';
  const two = `${text} ${tokens[index + 1]?.text ?? ''}`;
  return KEYWORDS.find((keyword) => keyword === two || keyword === text);
}

function endOf(tokens: readonly Token[], index: number, keyword: Keyword): number {
  return tokens[keyword.includes(' ') ? index + 1 : index]?.end ?? 0;
}

/** `WITH` opens a statement only; elsewhere it is WITH FILL, WITH TIES or WITH TOTALS. */
function follows(keyword: Keyword, last: Keyword | undefined): boolean {
  if (keyword === 'WITH') return last === undefined;
  if (last === undefined) return keyword === 'SELECT';
  return keyword === 'LIMIT' ? true : KEYWORDS.indexOf(keyword) > KEYWORDS.indexOf(last);
}

function isLimitBy(text: string): boolean {
  return tokenize(text).some(({ depth, text: word }) => depth === 0 && word === 'BY');
}

/** The items of a list, at its outermost commas. */
export function partList(list: string): readonly string[] {
  const items: string[] = [];
  let from = 0;
  for (const { depth, text, start, end } of tokenize(list)) {
    if (depth > 0 || text !== ',') continue;
    items.push(list.slice(from, start).trim());
    from = end;
  }
  const last = list.slice(from).trim();
  return last === '' ? items : [...items, last];
}

/** Joins clauses into a statement again, in the engine's order. */
export function joinClauses(clauses: ReadonlyMap<Keyword, string>): string {
  return KEYWORDS.filter((keyword) => clauses.has(keyword))
    .map((keyword) => `${keyword === 'LIMIT BY' ? 'LIMIT' : keyword} ${clauses.get(keyword) ?? ''}`)
    .join(' ');
}

const BEFORE_TABLE = /^(?:FROM|JOIN|IN|,|\()$/;

/** Names that stand where a table may. */
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
