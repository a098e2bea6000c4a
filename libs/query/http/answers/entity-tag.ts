import { createHash } from 'node:crypto';

/**
 * A weak validator of an answer: the same whenever the answer would be. The table's version among
 * `values` are to be asked for before the rows are: an answer may then be newer than its tag, which
 * costs a needless one later, but never older.
 */
export function entityTag(values: readonly unknown[]): string {
  return `W/"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 32)}"`;
}

/** Tells whether `If-None-Match` names it. */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = tag.replace(/^W\//, '');
  return ifNoneMatch
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === opaque || each === '*');
}
