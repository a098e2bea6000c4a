import { MillraceError } from '@app/platform';
import { tokenize } from '../../search/statement-tokens.js';

/** Writes a function of other systems in the engine's SQL. */
export interface ScalarFunction {
  readonly fewest: number;
  readonly most: number;
  /** Writes the call with arguments that are already in the engine's SQL. */
  readonly write: (...args: string[]) => string;
}

export const fn = (
  fewest: number,
  most: number,
  write: ScalarFunction['write'],
): ScalarFunction => ({
  fewest,
  most,
  write,
});
export const one = (name: string): ScalarFunction => fn(1, 1, (x) => `${name}(${x})`);
export const two = (name: string): ScalarFunction => fn(2, 2, (x, y) => `${name}(${x}, ${y})`);
export const truth = (condition: string): string => `CAST(${condition}, 'Bool')`;

/** Reads the text of a literal. It is undefined for anything else. */
export function literal(argument: string): string | undefined {
  const [token, more] = tokenize(argument);
  return token?.kind === 'text' && more === undefined ? token.value : undefined;
}

export function written(name: string, argument: string): string {
  const text = literal(argument);
  if (text === undefined)
    throw new MillraceError('INVALID_SQL', `${name} wants this argument written out, as a text`);
  return text;
}

/** @throws {MillraceError} INVALID_SQL for a call with too few arguments, or too many. */
export function checkCount(
  name: string,
  count: number,
  { fewest, most }: Pick<ScalarFunction, 'fewest' | 'most'>,
): void {
  if (count >= fewest && count <= most) return;
  const wanted = fewest === most ? String(fewest) : `${fewest} to ${most}`;
  throw new MillraceError('INVALID_SQL', `${name} takes ${wanted} arguments, not ${count}`);
}
