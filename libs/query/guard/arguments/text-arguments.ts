import { readAggregate, readStructure, readType, type TextNames } from './read-type.js';
import { placeholderOf } from '../spell-out.js';
import { zonePlaces } from './zone-places.js';
import type { Argument, TextCall } from './text-call.js';

/** Functions that read one of their arguments as a type, a name or an expression of its own. */

type Judge = (text: string) => TextNames | undefined;

interface Rule {
  /** The index of the argument, from 0; −1 is the last. */
  readonly at: readonly number[];
  /** True if the argument may be left out. */
  readonly optional?: true;
  readonly judge: Judge;
  /** The kind of text that the function takes there. */
  readonly wants: string;
}

const NO_NAMES: TextNames = { zones: [] };
const only =
  (form: RegExp): Judge =>
  (text) =>
    form.test(text) ? NO_NAMES : undefined;

const type = (...at: number[]): Rule => ({ at, judge: readType, wants: 'a type, written out' });
const aggregate: Rule = {
  at: [0],
  judge: readAggregate,
  wants: 'the name of an aggregate function, with nothing but literals as its parameters',
};
const format: Rule = {
  at: [0],
  judge: only(/^(?:CSV|TSV|TabSeparated|JSONEachRow|JSONCompactEachRow|Values|Markdown)$/),
  wants: 'CSV, TSV, TabSeparated, JSONEachRow, JSONCompactEachRow, Values or Markdown',
};
/** A Dynamic column has a subcolumn for each type, with the type's name. */
const subcolumn: Rule = {
  at: [1],
  judge: (text) => (/aggregatefunction/i.test(text) ? undefined : NO_NAMES),
  wants: 'the name or the number of a part',
};
const tokenizer = (at: number): Rule => ({
  at: [at],
  optional: true,
  judge: only(/^\w+(?:\(\d*(?:, ?\d+)*\))?$/),
  wants: 'the name of a tokenizer',
});
/**
 * A path within JSON. For `*` and `a to b`, the engine reads the document once for each matching
 * element.
 */
const path: Rule = {
  at: [1],
  judge: only(/^(?![^]*\*)(?![^]*\[[^\]'"]*\bto\b)/i),
  wants: 'a path, written out, without * and without a range',
};
const charsets: Rule = {
  at: [1, 2],
  judge: only(/^[A-Za-z0-9][A-Za-z0-9_.:+-]*$/),
  wants: 'the names of character sets',
};

const RULES: Readonly<Record<string, Rule>> = {
  cast: type(1),
  _cast: type(1),
  accuratecast: type(1),
  accuratecastornull: type(1),
  accuratecastordefault: type(1),
  reinterpret: type(1),
  dynamicelement: type(1),
  variantelement: type(1),
  jsonextract: type(-1),
  jsonextractcaseinsensitive: type(-1),
  jsonextractkeysandvalues: type(-1),
  jsonextractkeysandvaluescaseinsensitive: type(-1),
  arrayreduce: aggregate,
  arrayreduceinranges: aggregate,
  initializeaggregation: aggregate,
  formatrow: format,
  formatrownonewline: format,
  getsubcolumn: subcolumn,
  tupleelement: subcolumn,
  tokens: tokenizer(1),
  tokensforlikepattern: tokenizer(1),
  hasphrase: tokenizer(2),
  matchphrase: tokenizer(2),
  hasalltokens: tokenizer(2),
  hasanytokens: tokenizer(2),
  json_value: path,
  json_query: path,
  json_exists: path,
  convertcharset: charsets,
};

/**
 * The time of these functions grows with the product of two lengths, so one of them must be short.
 */
const COMPARED = new Set([
  'editdistance',
  'editdistanceutf8',
  'jarosimilarity',
  'jarowinklersimilarity',
  'levenshteindistance',
  'levenshteindistanceutf8',
]);
const SHORT = 256;
const CUTS = /^(?:left|leftutf8)$/i;

function isShort(given: Argument): boolean {
  if (given.kind === 'text') return given.text.length <= SHORT;
  if (given.kind !== 'call' || !CUTS.test(given.call.name)) return false;
  const [, length] = given.call.arguments;
  return length?.kind === 'constant' && (length.whole ?? Infinity) <= SHORT;
}

/** Tells whether a function reads a text of its own kind, so that its calls must be looked at. */
export function takesText(name: string): boolean {
  const lower = name.toLowerCase();
  return Object.hasOwn(RULES, lower) || COMPARED.has(lower) || zonePlaces(lower) !== undefined;
}

/** Tells whether a function interprets one of its texts, so that its calls must be examined. */
export interface JudgedTexts {
  /** Time zones that are written out. */
  readonly zones: ReadonlySet<string>;
  /** Placeholders whose values are time zones. */
  readonly zonePlaceholders: ReadonlySet<string>;
  readonly problem: { readonly name: string; readonly wants: string } | undefined;
}

/** @param texts of aliases that have only one meaning. */
export function judgeTexts(
  calls: readonly TextCall[],
  texts: ReadonlyMap<string, string>,
): JudgedTexts {
  const zones = new Set<string>();
  const zonePlaceholders = new Set<string>();
  let problem: JudgedTexts['problem'];
  for (const { name, isTable, arguments: given } of calls) {
    if (isTable) {
      if (!areColumns(name, given[0])) problem ??= { name, wants: COLUMNS };
      continue;
    }
    const lower = name.toLowerCase();
    const rule = Object.hasOwn(RULES, lower) ? RULES[lower] : undefined;
    for (const at of rule?.at ?? []) {
      const named = rule && judgeArgument(rule, given.at(at));
      if (rule && !named) problem ??= { name, wants: rule.wants };
      for (const zone of named?.zones ?? []) zones.add(zone);
    }
    if (COMPARED.has(lower) && !given.some(isShort))
      problem ??= {
        name,
        wants: `one text of at most ${SHORT} characters, such as left(x, ${SHORT})`,
      };
    for (const at of zonePlaces(lower) ?? []) {
      const zone = zoneOf(given[at], texts);
      if (zone?.text !== undefined) zones.add(zone.text);
      else if (zone?.placeholder !== undefined) zonePlaceholders.add(zone.placeholder);
      else if (zone) problem ??= { name, wants: ZONE };
    }
  }
  return { zones, zonePlaceholders, problem };
}

/** Functions that make a time, which some take in the place of a zone. */
const TIMES = /^(?:to|parse|make)date|^now/i;

interface Zone {
  readonly text?: string;
  readonly placeholder?: string;
}

/** @returns undefined if no zone is given, and neither field if it cannot be judged. */
function zoneOf(given: Argument | undefined, texts: ReadonlyMap<string, string>): Zone | undefined {
  switch (given?.kind) {
    case undefined:
    case 'constant':
      return undefined;
    case 'text':
      return { text: given.text };
    case 'name': {
      const text = texts.get(given.name);
      return text === undefined ? {} : { text };
    }
    case 'call': {
      if (TIMES.test(given.call.name)) return undefined;
      const [value, type] = given.call.arguments;
      if (given.call.name !== 'CAST' || value?.kind !== 'text' || type?.kind !== 'text') return {};
      const placeholder = placeholderOf(value.text);
      return placeholder === undefined ? { text: value.text } : { placeholder };
    }
    case 'other':
      return {};
  }
}

const ZONE = "a time zone, written out, such as 'Europe/Paris'";

const COLUMNS = "its columns first, as in 'id UInt64, name String', or rows only";
const TABLE_TEXT = new Set(['values']);

/**
 * A text at the first place is a list of columns, unless it cannot be read as one: a single word,
 * or an empty text.
 */
function areColumns(name: string, first: Argument | undefined): boolean {
  if (!TABLE_TEXT.has(name)) return true;
  if (!first || first.kind === 'constant') return true;
  if (first.kind === 'call') return first.call.name === 'tuple';
  if (first.kind !== 'text') return false;
  return /^\w*$/.test(first.text) || readStructure(first.text) !== undefined;
}

function judgeArgument(rule: Rule, given: Argument | undefined): TextNames | undefined {
  if (!given) return rule.optional ? NO_NAMES : undefined;
  if (rule === subcolumn && given.kind === 'constant') return NO_NAMES;
  return given.kind === 'text' ? rule.judge(given.text) : undefined;
}
