import { certain } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { readTime } from '../../plan/read-time.js';
import { tokenize, type Token } from '../../search/statement-tokens.js';
import { isOfNumbers, type ComparedLiteral } from './compared-literals.js';
import type { Marker } from './markers.js';

interface Found {
  /** Index of the token. */
  readonly at: number;
  /** Tells whether it stands there in the notation of the engine's times. */
  readonly isTime: boolean;
}

interface ValuePlace extends Found {
  readonly literal: number;
}

/** Characters that a token takes in memory, besides its text. */
const TOKEN_LENGTH = 128;

/** A statement that was admitted, with places for values. */
export class Template {
  /** The approximate number of characters that it holds. */
  readonly length: number;

  private constructor(
    private readonly admitted: string,
    private readonly tokens: readonly Token[],
    /** The places of values in the order of the text. */
    private readonly places: readonly ValuePlace[],
  ) {
    this.length = admitted.length + tokens.length * TOKEN_LENGTH;
  }

  /**
   * @param admitted in the engine's canonical print.
   * @returns undefined if one of the markers is not there exactly once, as a compared value.
   */
  static of(admitted: string, markers: readonly Marker[]): Template | undefined {
    const tokens = tokenize(admitted);
    const places: ValuePlace[] = [];
    for (const [literal, marker] of markers.entries()) {
      const found = find(marker, admitted, tokens);
      if (!found || !isInCondition(tokens, found.at)) return undefined;
      places.push({ ...found, literal });
    }
    places.sort((a, b) => a.at - b.at);
    return new Template(admitted, tokens, places);
  }

  /** @returns undefined if the result would differ from this statement in more than its values. */
  fill(values: readonly ComparedLiteral[]): string | undefined {
    const texts = this.tokens.map(({ text }) => text);
    let filled = '';
    let from = 0;
    for (const { at, literal, isTime } of this.places) {
      const text = literalOf(certain(values[literal], 'value of a statement'), isTime);
      const { start, end } = certain(this.tokens[at], 'token of a value');
      filled += this.admitted.slice(from, start) + text;
      texts[at] = text;
      from = end;
    }
    filled += this.admitted.slice(from);
    const tokens = tokenize(filled);
    const isSame =
      tokens.length === texts.length && tokens.every(({ text }, at) => text === texts[at]);
    return isSame ? filled : undefined;
  }
}

function literalOf({ kind, value }: ComparedLiteral, isTime: boolean): string {
  if (isOfNumbers(kind)) return value;
  return quoteText(isTime ? certain(readTime(value), 'time of a statement') : value);
}

function find(
  { kind, value }: Marker,
  admitted: string,
  tokens: readonly Token[],
): Found | undefined {
  const isNumber = isOfNumbers(kind);
  // A text with a zone may have become the engine's time of it.
  const time = kind === 'iso' ? certain(readTime(value), 'time of a marker') : undefined;
  const forms = time === undefined ? [value] : [value, time];
  let found: Found | undefined;
  for (const form of forms) {
    const count = admitted.match(isNumber ? whole(form) : anywhere(form))?.length ?? 0;
    if (count === 0) continue;
    if (count > 1 || found) return undefined;
    const literal = isNumber ? form : `'${form}'`;
    const at = tokens.findIndex(({ text }) => text === literal);
    const isTime = form === time;
    const place = isTime ? timeAround(tokens, at) : at;
    if (at === -1 || place === undefined || !isCompared(tokens, place)) return undefined;
    found = { at, isTime };
  }
  return found;
}

const whole = (number: string): RegExp => new RegExp(`(?<!\\d)${literally(number)}(?!\\d)`, 'g');
const anywhere = (text: string): RegExp => new RegExp(literally(text), 'g');
const literally = (text: string): string => text.replace(/[.]/g, '\\.');

/** The place of the `toDateTime64` that has the text as its first argument. */
function timeAround(tokens: readonly Token[], at: number): number | undefined {
  const isFirst = tokens[at - 1]?.text === '(' && tokens[at - 2]?.text === 'toDateTime64';
  return isFirst ? at - 2 : undefined;
}

const COMPARES = /^(?:=|==|!=|<>|<|<=|>|>=|LIKE|ILIKE)$/;

/** Tells whether it stands after a comparison, or in the list after IN. */
function isCompared(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? '';
  if (COMPARES.test(before)) return true;
  if (!/^[(,]$/.test(before)) return false;
  const outside = certain(tokens[at], 'token of a value').depth - 1;
  let open = at - 1;
  while (open > 0 && tokens[open]?.depth !== outside) open -= 1;
  return tokens[open]?.text === '(' && tokens[open - 1]?.text === 'IN';
}

const CLAUSES =
  /^(?:WITH|SELECT|FROM|JOIN|ON|USING|WHERE|PREWHERE|HAVING|GROUP|ORDER|LIMIT|OFFSET|QUALIFY|WINDOW)$/;
const CONDITIONS = /^(?:WHERE|PREWHERE|HAVING)$/;
/** Queries at these places give rows, and their text does not become the name of a column. */
const SOURCES = /^(?:WITH|FROM|JOIN)$/;

/**
 * Tells whether it stands in a condition of the statement, or of a query that gives it rows. A
 * column's name may be its text, or not if the text is long, so no value is taken from one.
 */
function isInCondition(tokens: readonly Token[], place: number): boolean {
  let depth = certain(tokens[place], 'token of a value').depth;
  let isFound = false;
  let isClosed = false;
  for (let at = place - 1; at >= 0; at -= 1) {
    const token = certain(tokens[at], 'token of a statement');
    if (token.depth < depth) {
      depth = token.depth;
      isClosed = false;
    } else if (
      !isClosed &&
      token.depth === depth &&
      token.kind === 'word' &&
      CLAUSES.test(token.text)
    ) {
      if (!(isFound ? SOURCES : CONDITIONS).test(token.text)) return false;
      isFound = true;
      isClosed = true;
    }
  }
  return isFound;
}
