import { unknownKey } from '@app/platform';
import { z } from 'zod';

/**
 * An object that refuses unknown keys. The error names the key and the known key that the author
 * may have meant.
 * @param taken further keys that an author may write; the caller has removed them before
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
