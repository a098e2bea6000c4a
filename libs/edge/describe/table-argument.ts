import type { DescribedTable } from '../table-description.js';
import { stemOf } from './names-in-uri.js';
import { explainIssues } from './strict.js';
import { ENTRY_KEYS, tableEntry } from './table-entry.js';

/** `<name>=` at the beginning. A path or URL with `=` in it has one of the other characters before. */
const NAMED = /^([^=/:?*,]*)=(.*)$/s;
const OPTION = /^([a-z_]+)=(.*)$/s;
/** Options whose values are text even where they look like JSON: `sheet_name=2024`. */
const TEXTS = ['delimiter', 'pointer', 'sheet_name', 'table', 'format'];

/**
 * Reads `[<name>=]<uri>[,<option>=<value>]…`, as `--table` takes it. A piece between commas that
 * does not begin with `<option>=` belongs to the one before it, so a URI may have commas in it,
 * and a value may be a list. Values are JSON, or text.
 * @throws {Error} whose message says what is wrong, where, and what may be meant
 */
export function parseTableArgument(text: string): DescribedTable {
  const [, name, rest] = NAMED.exec(text) ?? [undefined, undefined, text];
  const { uri, options } = parseUri(rest ?? '');
  return describeTable(name ?? stemOf(uri), uri, options, text);
}

/** Reads `<uri>[,<option>=<value>]…`. @throws {Error} as `parseTableArgument` */
export function parseTableUri(name: string, text: string): DescribedTable {
  const { uri, options } = parseUri(text);
  return describeTable(name, uri, options, `${name}=${text}`);
}

function describeTable(
  name: string,
  uri: string,
  options: ReadonlyMap<string, unknown>,
  text: string,
): DescribedTable {
  const entry: Record<string, unknown> = { name, uri };
  const option: Record<string, unknown> = {};
  for (const [key, value] of options)
    if (ENTRY_KEYS.includes(key)) entry[key] = value;
    else option[key] = value;
  const read = tableEntry.safeParse({ ...entry, option });
  if (read.success) return read.data;
  const wrong = explainIssues(read.error).replaceAll(/^option(?:\.|: )/gm, '');
  throw new Error(`table ${JSON.stringify(withoutPassword(text))}: ${wrong}`);
}

function parseUri(text: string): { uri: string; options: ReadonlyMap<string, unknown> } {
  const [uri = '', ...given] = text.split(',').reduce<string[]>((pieces, piece) => {
    const last = pieces.at(-1);
    if (last === undefined || OPTION.test(piece)) return [...pieces, piece];
    return [...pieces.slice(0, -1), `${last},${piece}`];
  }, []);
  const options = new Map<string, unknown>();
  for (const piece of given) {
    const [, key = '', value = ''] = OPTION.exec(piece) ?? [];
    if (options.has(key))
      throw new Error(`table ${JSON.stringify(withoutPassword(text))}: ${key} is there twice`);
    options.set(key, valueOf(key, value));
  }
  return { uri, options };
}

function valueOf(key: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return TEXTS.includes(key) && typeof value !== 'string' ? text : value;
}

/** Messages are for the terminal and for logs. */
export function withoutPassword(uri: string): string {
  return uri.replace(/(:\/\/[^/@\s:]*):[^/\s]*@/, '$1:***@');
}
