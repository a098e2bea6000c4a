import { authorTokens } from '../../dialect/author-tokens.js';
import { readTime } from '../../plan/read-time.js';
import type { Token } from '../../search/statement-tokens.js';

/** A value that a statement compares with: nothing else of the statement depends on which it is. */
export interface ComparedLiteral {
  readonly kind: LiteralKind;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Values of one kind are written alike in the engine's words; numbers are of so many digits. */
export type LiteralKind = 'day' | 'second' | 'moment' | 'iso' | 'text' | number;

/** Longer statements, and those with more values, are judged as they are. */
const STATEMENT_MAX = 8192;
const LITERALS_MAX = 64;

const BEGINS = /^\s*(?:SELECT|WITH)\s/i;
/** Comments, placeholders, and characters that some reader takes for quotes. */
const UNUSUAL = /--|\/\*|#|[{}"$\u0085\u2018-\u201f\u2028\u2029\ue000-\ue1ff]/;
/** Words behind which no value of a query stands. */
const NO_SHAPE = /^(?:SETTINGS|FORMAT|INTO|EXPLAIN|DESCRIBE|SHOW|ESCAPE)$/i;
const CONDITIONS = /^(?:WHERE|PREWHERE|HAVING)$/i;
const CLAUSES =
  /^(?:WITH|SELECT|FROM|JOIN|ON|USING|WHERE|PREWHERE|HAVING|GROUP|ORDER|LIMIT|OFFSET|FETCH|QUALIFY|WINDOW|UNION|INTERSECT|EXCEPT)$/i;
/** A bracket behind these holds a condition where it stands in one. */
const BEFORE_CONDITION = /^(?:WHERE|PREWHERE|HAVING|AND|OR|NOT|\()$/i;
/** And behind these a query. */
const BEFORE_QUERY = /^(?:FROM|JOIN|AS|IN|EXISTS|UNION|INTERSECT|EXCEPT|ALL|DISTINCT|,)$/i;
const COMPARES = /^(?:=|==|!=|<>|<|<=|>|>=|LIKE|ILIKE)$/i;
const ENDS = /^(?:AND|OR|GROUP|ORDER|LIMIT|HAVING|UNION|INTERSECT|EXCEPT|\))$/i;

const WHOLE = /^(?:0|[1-9]\d{0,17})$/;
const TEXT = /^'([\x20-\x26\x28-\x5b\x5d-\x7e\p{L}\p{N}]{1,200})'$/u;
/** Words that the guard looks for in texts, too. */
const LOOKED_FOR = /select|aggregatefunction/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const SECOND = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+$/;
/** A text that may be read as a time, or as a number. */
const NUMERIC = /^\s*[-+.]?\d/;

/** A pair of brackets, or the whole statement. */
interface Frame {
  clause: 'condition' | 'list' | 'other';
  /** Says whether its values are compared as the statement's own are. */
  readonly isPlain: boolean;
}

/**
 * Finds the values that stand behind a comparison, BETWEEN or IN in WHERE or HAVING, and in no
 * argument of a function. No name of the output can hold one of them, and no function reads it.
 * @returns undefined for a statement that may be read in several ways, or has no such value.
 */
export function comparedLiterals(text: string): readonly ComparedLiteral[] | undefined {
  if (text.length > STATEMENT_MAX || !BEGINS.test(text) || UNUSUAL.test(text)) return undefined;
  const tokens = authorTokens(text);
  if (!tokens) return undefined;
  const literals: ComparedLiteral[] = [];
  const frames: Frame[] = [{ clause: 'other', isPlain: true }];
  for (const [at, token] of tokens.entries()) {
    const frame = frames.at(-1);
    if (!frame) return undefined;
    const { kind, text: mark } = token;
    if (kind === 'symbol' && /^[([]$/.test(mark)) frames.push(frameAt(tokens, at, frame));
    else if (kind === 'symbol' && /^[)\]]$/.test(mark)) frames.pop();
    else if (kind === 'word') {
      if (NO_SHAPE.test(mark)) return undefined;
      if (CLAUSES.test(mark)) frame.clause = CONDITIONS.test(mark) ? 'condition' : 'other';
    } else if (frame.isPlain && isCompared(tokens, at, frame)) {
      const read = kindOf(token);
      if (read !== undefined) literals.push({ ...read, start: token.start, end: token.end });
    }
  }
  return literals.length === 0 || literals.length > LITERALS_MAX ? undefined : literals;
}

function frameAt(tokens: readonly Token[], at: number, { clause, isPlain }: Frame): Frame {
  const before = tokens[at - 1]?.text ?? '';
  const next = tokens[at + 1]?.text ?? '';
  if (!isPlain || tokens[at]?.text !== '(') return { clause: 'other', isPlain: false };
  if (/^(?:SELECT|WITH)$/i.test(next))
    return { clause: 'other', isPlain: BEFORE_QUERY.test(before) };
  if (clause === 'condition' && BEFORE_CONDITION.test(before)) return { clause, isPlain };
  if (clause === 'condition' && /^IN$/i.test(before)) return { clause: 'list', isPlain };
  return { clause: 'other', isPlain: false };
}

function isCompared(tokens: readonly Token[], at: number, { clause }: Frame): boolean {
  const textAt = (place: number): string => tokens[place]?.text ?? '';
  const [before, next] = [textAt(at - 1), textAt(at + 1)];
  if (clause === 'list') return /^[(,]$/.test(before) && /^[),]$/.test(next);
  if (clause !== 'condition') return false;
  const isLast = next === '' || (next === ';' && at + 2 === tokens.length);
  if (/^BETWEEN$/i.test(before)) return /^AND$/i.test(next);
  if (!isLast && !ENDS.test(next)) return false;
  if (/^AND$/i.test(before)) return /^BETWEEN$/i.test(textAt(at - 3)) && isValue(tokens[at - 2]);
  return COMPARES.test(before) && !isValue(tokens[at - 2]);
}

const isValue = (token: Token | undefined): boolean =>
  token?.kind === 'number' || token?.kind === 'text';

function kindOf({ kind, text }: Token): Pick<ComparedLiteral, 'kind' | 'value'> | undefined {
  if (kind === 'number') return WHOLE.test(text) ? { kind: text.length, value: text } : undefined;
  const value = kind === 'text' ? TEXT.exec(text)?.[1] : undefined;
  if (value === undefined || LOOKED_FOR.test(value)) return undefined;
  if (!NUMERIC.test(value)) return { kind: 'text', value };
  // It may be refused as it stands: a day that no calendar has.
  if (/^\s*[-+]?\d+$/.test(value) || readTime(value) === undefined) return undefined;
  if (DAY.test(value)) return { kind: 'day', value };
  if (SECOND.test(value)) return { kind: 'second', value };
  return { kind: MOMENT.test(value) ? 'moment' : 'iso', value };
}
