import { createHash } from 'node:crypto';

/**
 * A weak validator of an answer: it stays the same as long as the answer does. The table's version
 * among `values` must be read before the rows. Then an answer may be newer than its tag, which only
 * costs a needless answer later, but it is never older.
 */
export function entityTag(values: readonly unknown[]): string {
  return `W/"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32)}"`;
}

/** Tells whether `If-None-Match` contains it. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = tag.replace(/^W\//, '');
  return ifNoneMatch
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === opaque || each === '*');
}
