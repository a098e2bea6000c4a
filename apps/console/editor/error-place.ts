/** The server's message points at a place in the statement, and may offer something for it. */
export interface ErrorPlace {
  /** Both ends count letters, from 0. */
  readonly from: number;
  readonly to: number;
  /** The server offers to write this there instead. */
  readonly suggestion: string | undefined;
}

const PLACE = /at line (\d+), column (\d+)/;
const SUGGESTION = /did you mean "([^"]+)"/;
const WORD = /^(?:`[^`]*`|"[^"]*"|[\p{L}\p{N}_.]+|\S)/u;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Finds the place that a message of the server means.
 * @returns undefined where the message names no place in this statement
 */
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

/** Writes a name as a statement takes it. */
export const quotedName = (name: string): string =>
  PLAIN.test(name) ? name : `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;

/** Writes a field within an object as a statement takes it: each of its names is one. */
export const quotedPath = (path: string): string => path.split('.').map(quotedName).join('.');
