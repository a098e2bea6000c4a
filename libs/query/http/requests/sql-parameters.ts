import { didYouMean, MillraceError } from '@app/platform';
import type { Values } from '../../guard/bind-values.js';
import { MICROSECONDS_FROM, type TimeRange } from '../../plan/time-range.js';

const PREFIX = 'param_';
const RANGE = ['start_time', 'end_time'] as const;
const WHOLE = /^\d{1,16}$/;

interface SqlParameters {
  /** The parameter `query`, if it is allowed. */
  readonly statement: string | undefined;
  /** The values of `{name:Type}` placeholders. */
  readonly values: Values;
  /** The range of the rows' times; undefined when the request has none. */
  readonly range: TimeRange | undefined;
}

/** Reads the URL's parameters of a statement. @throws {MillraceError} INVALID_PARAMETER */
export function readSqlParameters(
  parameters: Readonly<Record<string, unknown>>,
  own: readonly 'query'[],
): SqlParameters {
  const known: readonly string[] = [...own, ...RANGE];
  const values: Record<string, string> = {};
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string')
      throw new MillraceError('INVALID_PARAMETER', `parameter ${name} stands there twice`);
    if (name.startsWith(PREFIX)) values[name.slice(PREFIX.length)] = value;
    else if (known.includes(name)) named[name] = value;
    else {
      const names = [...known, `${PREFIX}<name>`];
      throw new MillraceError(
        'INVALID_PARAMETER',
        `unknown parameter ${JSON.stringify(name)}${didYouMean(name, known)}; known are ${names.join(', ')}`,
      );
    }
  }
  const [start, end] = RANGE.map((name) => timeOf(name, named[name]));
  if (start !== undefined && end !== undefined && start > end)
    throw new MillraceError(
      'INVALID_PARAMETER',
      `start_time must not be after end_time: ${start} is after ${end}`,
    );
  const range = start === undefined && end === undefined ? undefined : { start, end };
  return { statement: named['query'], values, range };
}

/** Reads a bound of the time range. An absent bound and 0 mean no bound. */
function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '0') return undefined;
  const time = Number(text);
  if (WHOLE.test(text) && time >= MICROSECONDS_FROM) return time;
  throw new MillraceError(
    'INVALID_PARAMETER',
    `${name} should be microseconds since 1970, such as ${Date.now()}000, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}
