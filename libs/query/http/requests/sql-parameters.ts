import { didYouMean, MillraceError } from '@app/platform';
import type { Values } from '../../guard/bind-values.js';

const PREFIX = 'param_';

interface SqlParameters {
  /** Of the parameter `query`, when it may be there. */
  readonly statement: string | undefined;
  /** Of `{name:Type}` placeholders. */
  readonly values: Values;
}

/** Reads the URL's parameters of a statement. @throws {MillraceError} INVALID_PARAMETER */
export function readSqlParameters(
  parameters: Readonly<Record<string, unknown>>,
  known: readonly 'query'[],
): SqlParameters {
  const values: Record<string, string> = {};
  let statement: string | undefined;
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string')
      throw new MillraceError('INVALID_PARAMETER', `parameter ${name} stands there twice`);
    if (name.startsWith(PREFIX)) values[name.slice(PREFIX.length)] = value;
    else if (known.some((each) => each === name)) statement = value;
    else {
      const names = [...known, `${PREFIX}<name>`];
      throw new MillraceError(
        'INVALID_PARAMETER',
        `unknown parameter ${JSON.stringify(name)}${didYouMean(name, known)}; known are ${names.join(', ')}`,
      );
    }
  }
  return { statement, values };
}
