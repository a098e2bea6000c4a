import { readTime } from '../plan/read-time.js';

/**
 * Converts rows to hits in the form that OpenObserve's clients know: nulls are left out,
 * `_timestamp` is in microseconds. It works on the text, so that a 64-bit integer does not change.
 * @param lines a JSON object a line, without white space between its tokens.
 */
export function toHits(lines: string): readonly string[] {
  return rowsOf(lines).map((line) => toHit(line, (value) => value !== 'null'));
}

/** Rows of an aggregation, in which a null stands as such. */
export function toAggregates(lines: string): string {
  return `[${rowsOf(lines)
    .map((line) => toHit(line, () => true))
    .join(',')}]`;
}

const rowsOf = (lines: string): readonly string[] =>
  lines.split('\n').filter((line) => line !== '');

function toHit(line: string, keeps: (value: string) => boolean): string {
  const kept: string[] = [];
  for (let at = 1; at < line.length - 1;) {
    const colon = endOfString(line, at);
    const end = endOfValue(line, colon + 1);
    const key = line.slice(at, colon);
    const value = line.slice(colon + 1, end);
    if (keeps(value)) kept.push(`${key}:${key === '"_timestamp"' ? microseconds(value) : value}`);
    at = end + 1;
  }
  return `{${kept.join(',')}}`;
}

/** The index after the string that starts at `at`. */
function endOfString(line: string, at: number): number {
  let end = at + 1;
  while (line[end] !== '"') end += line[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** The index of the comma or bracket after the value that starts at `at`. */
function endOfValue(line: string, at: number): number {
  let depth = 0;
  let end = at;
  while (end < line.length) {
    const character = line[end];
    if (character === '"') {
      end = endOfString(line, end);
      continue;
    }
    if (depth === 0 && (character === ',' || character === '}')) break;
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    end += 1;
  }
  return end;
}

/** @param value JSON of a time as the engine writes it; anything else stays. */
function microseconds(value: string): string {
  const time = /^"(\d{4}-.*)"$/.exec(value)?.[1];
  const read = time === undefined ? undefined : readTime(time);
  if (read === undefined) return value;
  const [seconds = '', fraction = ''] = read.split('.');
  const micros = BigInt(Date.parse(`${seconds.replace(' ', 'T')}Z`)) * 1000n + BigInt(fraction);
  return String(micros);
}
