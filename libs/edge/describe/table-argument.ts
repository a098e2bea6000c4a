import { certain, explainIssues } from '@app/platform';
import { SourceError } from '../sources/source-error.js';
import type { DescribedTable } from '../table-description.js';
import { stemOf } from './names-in-uri.js';
import { ENTRY_KEYS, tableEntry } from './table-entry.js';
import { withoutSecrets } from './without-secrets.js';

/** `<name>=` at the beginning. A path or URL with `=` in it has one of the other characters before. */
const NAMED = /^([^=/:?*,]*)=(.*)$/s;
const OPTION = /^([a-z_]+)=(.*)$/s;
/** Options whose values are text even where they look like JSON: `sheet_name=2024`. */
const TEXTS = ['delimiter', 'pointer', 'sheet_name', 'table', 'format'];

/**
 * Reads `[<name>=]<uri>[,<option>=<value>]…`, as `--table` takes it. A piece between commas that
 * does not begin with `<option>=`, or lies within a JSON value, belongs to the one before it: a
 * URI may have commas in it, and a value may be a list. Values are JSON, or text.
 * @throws {SourceError} whose message says what is wrong, where, and what may be meant
 */
export function parseTableArgument(text: string): DescribedTable {
  const [, name, rest] = NAMED.exec(text) ?? [undefined, undefined, text];
  const { uri, options } = parseUri(certain(rest, 'address of a table'));
  return describeTable(name ?? stemOf(uri), uri, options);
}

/** Reads `<uri>[,<option>=<value>]…`. @throws {Error} as `parseTableArgument` */
export function parseTableUri(name: string, text: string): DescribedTable {
  const { uri, options } = parseUri(text);
  return describeTable(name, uri, options);
}

function describeTable(
  name: string,
  uri: string,
  options: ReadonlyMap<string, unknown>,
): DescribedTable {
  const entry: Record<string, unknown> = { name, uri };
  const option: Record<string, unknown> = {};
  for (const [key, value] of options)
    if (ENTRY_KEYS.includes(key)) entry[key] = value;
    else option[key] = value;
  const read = tableEntry.safeParse({ ...entry, option });
  if (read.success) return read.data;
  const wrong = explainIssues(read.error).replaceAll(/^option(?:\.|: )/gm, '');
  throw new SourceError(`table ${shown(`${name}=${uri}`)}: ${wrong}`);
}

function parseUri(text: string): { uri: string; options: ReadonlyMap<string, unknown> } {
  const [uri = '', ...given] = splitOptions(text);
  const options = new Map<string, unknown>();
  for (const piece of given) {
    const [, key = '', value = ''] = OPTION.exec(piece) ?? [];
    if (options.has(key)) throw new SourceError(`table ${shown(uri)}: ${key} is there twice`);
    if (ENTRY_KEYS.includes(key) && /^[[{]/.test(value) && json(value) === undefined)
      throw new SourceError(`table ${shown(uri)}: ${key}: its value is no valid JSON`);
    options.set(key, valueOf(key, value));
  }
  return { uri, options };
}

/** The description of a table leaves the options out, because headers of `io_option` are secret. */
const shown = (table: string): string => JSON.stringify(withoutSecrets(table));

/** The URI, and each option with its value. */
function splitOptions(text: string): readonly string[] {
  const pieces = text.split(',');
  const split: string[] = [];
  let next = 0;
  for (const [at, piece] of pieces.entries()) {
    if (at < next) continue;
    const last = split.at(-1);
    if (last !== undefined && !OPTION.test(piece)) {
      split[split.length - 1] = `${last},${piece}`;
      continue;
    }
    next = at + (last === undefined ? 1 : jsonLength(pieces.slice(at)));
    split.push(pieces.slice(at, next).join(','));
  }
  return split;
}

/** Tells how many pieces from the first on, `<option>=<value>`, make the value whole JSON; 1 when none do. */
function jsonLength(pieces: readonly string[]): number {
  if (!/^[a-z_]+=["[{]/.test(pieces.join(','))) return 1;
  const whole = pieces.findIndex((_, index) => {
    const [, , value = ''] = OPTION.exec(pieces.slice(0, index + 1).join(',')) ?? [];
    return json(value) !== undefined;
  });
  return whole === -1 ? 1 : whole + 1;
}

/** Reads a JSON value. The result is undefined where the text is not JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valueOf(key: string, text: string): unknown {
  const value = json(text);
  if (value === undefined) return text;
  return TEXTS.includes(key) && typeof value !== 'string' ? text : value;
}
