import { unknownKey } from '@app/platform';
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
