import { z } from 'zod';
import { didYouMean } from './near-name.js';

export type KeyPath = readonly PropertyKey[];

/** Says that a key is unknown, and which known key may have been meant. */
export function unknownKey(key: string, known: readonly string[]): string {
  const shown = JSON.stringify(key.slice(0, 80));
  const near = didYouMean(key, known);
  return `unknown key ${shown}${near}; known are ${known.join(', ')}`;
}

// The words for issues for which a schema has no words of its own.
z.config({
  customError: (issue) => {
    if (issue.code === 'unrecognized_keys') {
      const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      return issue.keys.map((key) => unknownKey(key, known)).join('; ');
    }
    if (issue.code === 'invalid_type')
      return issue.input === undefined
        ? `is missing; want ${issue.expected}`
        : `want ${issue.expected}${insteadOf(issue.input)}`;
    if (issue.code === 'invalid_value') return wantOneOf(issue.values);
    if (issue.code === 'invalid_format') return FORMATS[issue.format];
    if (issue.code === 'too_small') return bound('at least', issue.origin, issue.minimum);
    if (issue.code === 'too_big') return bound('at most', issue.origin, issue.maximum);
    return undefined;
  },
});

const FORMATS: Readonly<Record<string, string>> = {
  email: 'want an e-mail address',
  url: 'want an address, as http://host:port',
};

const wantOneOf = (values: readonly unknown[]): string =>
  `want ${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`;

function insteadOf(value: unknown): string {
  if (Number.isNaN(value)) return '';
  if (value === null) return ', not null';
  return `, not ${Array.isArray(value) ? 'array' : typeof value}`;
}

function bound(words: string, origin: string, limit: number | bigint): string {
  if (origin === 'string')
    return words === 'at least' && limit === 1 ? 'is empty' : `want ${words} ${limit} characters`;
  const counted = origin === 'array' || origin === 'set' ? ' elements' : '';
  return `want ${words} ${limit}${counted}`;
}

/**
 * Explains the issues, a line for each, with the key's path (`tables[0].option.has_header`) and its
 * place, if `placeOf` knows it.
 */
export function explainIssues(
  { issues }: z.ZodError,
  placeOf: (path: KeyPath) => string = () => '',
): string {
  return issues
    .map((issue) => {
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
      const path = printPath(issue.path);
      return `${placeOf([...issue.path, ...unknown])}${path === '' ? '' : `${path}: `}${issue.message}`;
    })
    .join('\n');
}

function printPath(path: KeyPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}
