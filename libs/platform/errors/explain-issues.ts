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
    if (issue.code === 'invalid_type' && issue.input === undefined)
      return `is missing; want ${issue.expected}`;
    return undefined;
  },
});

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
