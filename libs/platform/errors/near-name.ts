import { certain } from './certain.js';

/** A longer name is hardly a typing error, and its distances take long to compute. */
const NAME_MAX = 128;

/** The known name that `name` was most likely meant to be, as a sentence; empty when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (name.length > NAME_MAX) return '';
  const asked = name.toLowerCase();
  let limit = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    // Names whose lengths differ by more are further apart. This skips most names.
    if (Math.abs(other.length - asked.length) > limit) continue;
    const distance = editDistance(asked, other);
    if (distance > limit) continue;
    best = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return best === undefined ? '' : `; did you mean "${best}"?`;
}

/** Levenshtein's distance, in which two swapped neighbouring letters count once. */
function editDistance(a: string, b: string): number {
  let before = new Uint16Array(b.length + 1);
  let row = before.map((_, index) => index);
  let next = new Uint16Array(b.length + 1);
  for (let i = 0; i < a.length; i += 1) {
    const left = a.charCodeAt(i);
    next[0] = i + 1;
    for (let j = 0; j < b.length; j += 1) {
      const right = b.charCodeAt(j);
      let least = cell(row, j) + (left === right ? 0 : 1);
      const dropped = cell(row, j + 1) + 1;
      if (dropped < least) least = dropped;
      const added = cell(next, j) + 1;
      if (added < least) least = added;
      if (i > 0 && j > 0 && left === b.charCodeAt(j - 1) && a.charCodeAt(i - 1) === right) {
        const swapped = cell(before, j - 1) + 1;
        if (swapped < least) least = swapped;
      }
      next[j + 1] = least;
    }
    [before, row, next] = [row, next, before];
  }
  return cell(row, b.length);
}

const cell = (row: Uint16Array, at: number): number => certain(row[at], 'cell of a row');
