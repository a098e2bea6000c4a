import { certain } from '@app/platform';
import { readTime } from '../../plan/read-time.js';
import { tokenize, type Token } from '../../search/statement-tokens.js';
import type { Marker } from './markers.js';

/** A statement in pieces: its text, and the places of values, by their index. */
export type Template = readonly (string | ValuePlace)[];

interface ValuePlace {
  readonly literal: number;
  /** Whether it stands there in the notation of the engine's times. */
  readonly isTime: boolean;
}

interface Found extends ValuePlace {
  /** Index of the token. */
  readonly at: number;
}

/**
 * @param admitted in the engine's canonical print.
 * @returns undefined where one of the markers is not there exactly once, as a value that is compared.
 */
export function templateOf(admitted: string, markers: readonly Marker[]): Template | undefined {
  const tokens = tokenize(admitted);
  const all: Found[] = [];
  for (const [literal, marker] of markers.entries()) {
    const found = find(marker, admitted, tokens);
    if (!found) return undefined;
    all.push({ ...found, literal });
  }
  all.sort((a, b) => a.at - b.at);
  const template: (string | ValuePlace)[] = [];
  let from = 0;
  for (const { at, literal, isTime } of all) {
    const { start, end } = certain(tokens[at], 'token of a value');
    template.push(admitted.slice(from, start), { literal, isTime });
    from = end;
  }
  return [...template, admitted.slice(from)];
}

function find(
  { kind, value }: Marker,
  admitted: string,
  tokens: readonly Token[],
): Omit<Found, 'literal'> | undefined {
  const isNumber = typeof kind === 'number';
  // A text with a zone may have become the engine's time of it.
  const time = kind === 'iso' ? certain(readTime(value), 'time of a marker') : undefined;
  const forms = time === undefined ? [value] : [value, time];
  let found: Omit<Found, 'literal'> | undefined;
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

const whole = (number: string): RegExp => new RegExp(`(?<!\\d)${number}(?!\\d)`, 'g');
const anywhere = (text: string): RegExp => new RegExp(text.replace(/[.]/g, '\\.'), 'g');

/** The place of the `toDateTime64` that has the text as its first argument. */
function timeAround(tokens: readonly Token[], at: number): number | undefined {
  const isFirst = tokens[at - 1]?.text === '(' && tokens[at - 2]?.text === 'toDateTime64';
  return isFirst ? at - 2 : undefined;
}

const COMPARES = /^(?:=|==|!=|<>|<|<=|>|>=|LIKE|ILIKE)$/;

/** Whether it stands behind a comparison, or in the list behind IN. */
function isCompared(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]?.text ?? '';
  if (COMPARES.test(before)) return true;
  if (!/^[(,]$/.test(before)) return false;
  const outside = certain(tokens[at], 'token of a value').depth - 1;
  let open = at - 1;
  while (open > 0 && tokens[open]?.depth !== outside) open -= 1;
  return tokens[open]?.text === '(' && tokens[open - 1]?.text === 'IN';
}
