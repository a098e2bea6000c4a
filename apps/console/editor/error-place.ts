/** Where in the statement the server's message points, and what it offers. */
export interface ErrorPlace {
  /** Of letters, from 0. */
  readonly from: number;
  readonly to: number;
  /** What to write there instead. */
  readonly suggestion: string | undefined;
}

const PLACE = /at line (\d+), column (\d+)/;
const SUGGESTION = /did you mean "([^"]+)"/;
const WORD = /^(?:`[^`]*`|"[^"]*"|[\p{L}\p{N}_.]+|\S)/u;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** @returns undefined where the message names no place in this statement */
export function errorPlace(message: string, sql: string): ErrorPlace | undefined {
  const [, line, column] = PLACE.exec(message) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const lines = sql.split('\n');
  const at = Number(line) - 1;
  const text = lines[at];
  if (text === undefined) return undefined;
  const before = lines.slice(0, at).reduce((sum, each) => sum + each.length + 1, 0);
  const from = before + Math.min(Number(column) - 1, text.length);
  const word = WORD.exec(sql.slice(from))?.[0] ?? '';
  const near = SUGGESTION.exec(message)?.[1];
  return {
    from,
    to: Math.min(from + word.length, sql.length),
    suggestion: near === undefined ? undefined : quotedPath(near),
  };
}

/** A name as a statement takes it. */
export const quotedName = (name: string): string =>
  PLAIN.test(name) ? name : `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;

/** A field within an object as a statement takes it: each of its names is one. */
export const quotedPath = (path: string): string => path.split('.').map(quotedName).join('.');
