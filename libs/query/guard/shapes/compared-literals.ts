import { certain } from '@app/platform';
import { authorTokens } from '../../dialect/author-tokens.js';
import { readTime } from '../../plan/read-time.js';
import type { Token } from '../../search/statement-tokens.js';

/** A value that a statement compares with. Nothing else in the statement depends on the value. */
export interface ComparedLiteral {
  readonly kind: LiteralKind;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A kind of fractions: so many digits before the point, 0 for a lone 0, and so many behind it. */
export type FractionKind = `${number}.${number}`;

/** Values of one kind are printed alike by the engine; integers have the same number of digits. */
export type LiteralKind = 'day' | 'second' | 'moment' | 'iso' | 'text' | number | FractionKind;

/** Tells whether literals of the kind stand without quotes. */
export const isOfNumbers = (kind: LiteralKind): kind is number | FractionKind =>
  typeof kind === 'number' || /^\d/.test(kind);

/** Longer statements, and those with more values, are judged without a shape. */
const STATEMENT_MAX = 4096;
const LITERALS_MAX = 16;

const BEGINS = /^\s*(?:SELECT|WITH)\s/i;
/** Comments, placeholders, and characters that some readers treat as quotes. */
const UNUSUAL = /--|\/\*|#|[{}"$\u0085\u2018-\u201f\u2028\u2029\ue000-\ue1ff]/;
/** Words after which there is no value that a query compares with. */
const NO_SHAPE = /^(?:SETTINGS|FORMAT|INTO|EXPLAIN|DESCRIBE|SHOW|ESCAPE)$/i;
const CONDITIONS = /^(?:WHERE|PREWHERE|HAVING)$/i;
/** Clauses in the order in which a query has them. */
const ORDER: Readonly<Record<string, number>> = {
  ...{ WITH: 1, SELECT: 2, FROM: 3, JOIN: 4, ON: 4, USING: 4, PREWHERE: 5, WHERE: 6, GROUP: 7 },
  ...{ HAVING: 8, WINDOW: 9, QUALIFY: 10, ORDER: 11, LIMIT: 12, OFFSET: 13, FETCH: 14 },
};
/** The clauses that may occur several times. */
const REPEATED = /^(?:JOIN|ON|USING|LIMIT)$/i;
const COMBINES = /^(?:UNION|INTERSECT|EXCEPT)$/i;
/** Brackets after these words contain a condition if they stand in one. */
const BEFORE_CONDITION = /^(?:WHERE|PREWHERE|HAVING|AND|OR|NOT|\()$/i;
const COMPARES = /^(?:=|==|!=|<>|<|<=|>|>=|LIKE|ILIKE)$/i;
const ENDS = /^(?:AND|OR|GROUP|ORDER|LIMIT|HAVING|UNION|INTERSECT|EXCEPT|\))$/i;

const WHOLE = /^(?:0|[1-9]\d{0,17})$/;
/** The engine prints such a number unchanged: it fits into a float, and needs no exponent. */
const FRACTION = /^(?:(0)\.(?=[1-9])|([1-9]\d{0,8})\.)(\d{0,5}[1-9])$/;
const TEXT = /^'([\x20-\x26\x28-\x5b\x5d-\x7e\p{L}\p{N}]{1,200})'$/u;
/** Words that the guard also searches for in texts. */
const LOOKED_FOR = /select|aggregatefunction/i;
const DAY = /^\d{4}-\d\d-\d\d$/;
const SECOND = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+$/;
/** A text that may be read as a time, or as a number. */
const NUMERIC = /^\s*[-+.]?\d/;

/** A pair of brackets, or the whole statement. */
interface Frame {
  clause: 'condition' | 'list' | 'other';
  /** Tells whether it is the statement, a query that gives it rows, or a condition of these. */
  readonly isPlain: boolean;
  /** The place of the last clause in their order; undefined where it is no query. */
  order: number | undefined;
}

const NO_FRAME: Frame = { clause: 'other', isPlain: false, order: undefined };

/**
 * Finds the values that stand behind a comparison, BETWEEN or IN in WHERE or HAVING, and in no
 * argument of a function: of the statement, and of queries in FROM, JOIN and WITH. No name of the
 * output can hold one of them, and no function reads it.
 * @returns undefined for a statement that may be read in several ways, or has no such value.
 */
export function comparedLiterals(text: string): readonly ComparedLiteral[] | undefined {
  if (text.length > STATEMENT_MAX || !BEGINS.test(text) || UNUSUAL.test(text)) return undefined;
  const tokens = authorTokens(text);
  if (!tokens) return undefined;
  const literals: ComparedLiteral[] = [];
  const frames: Frame[] = [{ clause: 'other', isPlain: true, order: 0 }];
  for (const [at, token] of tokens.entries()) {
    const frame = frames.at(-1);
    if (!frame) return undefined;
    const { kind, text: mark } = token;
    if (kind === 'symbol' && /^[([]$/.test(mark)) frames.push(frameAt(tokens, at, frame));
    else if (kind === 'symbol' && /^[)\]]$/.test(mark)) frames.pop();
    else if (kind === 'word') {
      if (NO_SHAPE.test(mark) || !isInOrder(tokens, at, frame)) return undefined;
    } else if (frame.isPlain && isCompared(tokens, at, frame)) {
      const read = kindOf(token);
      if (read !== undefined) literals.push({ ...read, start: token.start, end: token.end });
    }
  }
  return literals.length === 0 || literals.length > LITERALS_MAX ? undefined : literals;
}

/**
 * Enters a clause. Names may be equal to clauses; the order of the clauses, or the text before,
 * tells them apart.
 */
function isInOrder(tokens: readonly Token[], at: number, frame: Frame): boolean {
  const mark = certain(tokens[at], 'word of a statement').text.toUpperCase();
  if (COMBINES.test(mark)) {
    if (!frame.isPlain) return true;
    const next = /^(?:ALL|DISTINCT)$/i.test(tokens[at + 1]?.text ?? '') ? at + 2 : at + 1;
    if (frame.order === undefined || !/^SELECT$/i.test(tokens[next]?.text ?? '')) return false;
    frame.order = 0;
    frame.clause = 'other';
    return true;
  }
  const order = Object.hasOwn(ORDER, mark) ? ORDER[mark] : undefined;
  if (order === undefined || !frame.isPlain) return true;
  const last = frame.order;
  if (last === undefined || order < last || (order === last && !REPEATED.test(mark))) return false;
  const isCondition = CONDITIONS.test(mark);
  if (isCondition && last < certain(ORDER['FROM'], 'place of FROM')) return false;
  const before = tokens[at - 1];
  const isFirst = before === undefined || (last === 0 && before.text === '(');
  if (!isFirst && before.kind === 'symbol' && !/^[)\]*]$/.test(before.text)) return false;
  if (/^(?:AS|DISTINCT)$/i.test(before?.text ?? '') && mark !== 'SELECT') return false;
  frame.order = order;
  frame.clause = isCondition ? 'condition' : 'other';
  return true;
}

function frameAt(tokens: readonly Token[], at: number, { clause, isPlain, order }: Frame): Frame {
  const before = tokens[at - 1]?.text ?? '';
  const next = tokens[at + 1]?.text ?? '';
  if (!isPlain || tokens[at]?.text !== '(') return NO_FRAME;
  if (/^(?:SELECT|WITH)$/i.test(next)) {
    const isSource =
      order === ORDER['WITH'] ? /^AS$/i.test(before) : /^(?:FROM|JOIN)$/i.test(before);
    return isSource && order !== undefined ? { clause: 'other', isPlain, order: 0 } : NO_FRAME;
  }
  if (clause !== 'condition') return NO_FRAME;
  if (BEFORE_CONDITION.test(before)) return { clause, isPlain, order: undefined };
  return /^IN$/i.test(before) ? { clause: 'list', isPlain, order: undefined } : NO_FRAME;
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
  if (kind === 'number') {
    if (WHOLE.test(text)) return { kind: text.length, value: text };
    const [, , whole = '', behind] = FRACTION.exec(text) ?? [];
    if (behind === undefined) return undefined;
    return { kind: `${whole.length}.${behind.length}`, value: text };
  }
  const value = kind === 'text' ? TEXT.exec(text)?.[1] : undefined;
  if (value === undefined || LOOKED_FOR.test(value)) return undefined;
  if (!NUMERIC.test(value)) return { kind: 'text', value };
  // The literal itself may be refused: a day that does not exist.
  if (/^\s*[-+]?\d+$/.test(value) || readTime(value) === undefined) return undefined;
  if (DAY.test(value)) return { kind: 'day', value };
  if (SECOND.test(value)) return { kind: 'second', value };
  return { kind: MOMENT.test(value) ? 'moment' : 'iso', value };
}
