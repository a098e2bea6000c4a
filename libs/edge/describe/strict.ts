import { didYouMean } from '@app/query';
import { z } from 'zod';

/**
 * An object in which a key nobody knows is an error that names it, and what it may have been meant to be.
 * @param taken keys that are its author's, too, and have been taken out before
 */
export function strict<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  taken: readonly string[] = [],
) {
  const known = [...taken, ...Object.keys(shape)];
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, known)).join('; ')
        : undefined,
  });
}

export function unknownKey(key: string, known: readonly string[]): string {
  const near = didYouMean(key, known);
  return `unknown key ${JSON.stringify(key)}${near === '' ? `; known are ${known.join(', ')}` : near}`;
}

export type KeyPath = readonly PropertyKey[];

/** What is wrong, a line each, with the key's path (`tables[0].option.has_header`) and its place, where `placeOf` knows one. */
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
