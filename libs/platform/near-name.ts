/** Longer ones are nobody's slip of the finger, and distances of them take long. */
const NAME_MAX = 128;

/** The known name that `name` was most likely meant to be, as a sentence; empty when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (name.length > NAME_MAX) return '';
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && distance < (best?.distance ?? Infinity))
      best = { candidate, distance };
  }
  return best ? `; did you mean "${best.candidate}"?` : '';
}

/** Levenshtein's, and two letters that have changed places count once. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1);
      const swapped =
        i > 0 && j > 0 && left === b[j - 1] && a[i - 1] === right
          ? (before[j - 1] ?? 0) + 1
          : Infinity;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
