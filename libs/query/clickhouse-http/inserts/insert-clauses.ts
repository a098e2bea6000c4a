import type { Token } from '../../search/statement-tokens.js';

/** Words that begin a clause, or stand before a table. None of them is an alias. */
const WORDS =
  /^(?:WHERE|PREWHERE|GROUP|ORDER|HAVING|LIMIT|OFFSET|SETTINGS|FORMAT|UNION|INTERSECT|EXCEPT|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|ANY|ALL|ASOF|SEMI|ANTI|GLOBAL|PASTE|ARRAY|ON|USING|FINAL|SAMPLE|WINDOW|QUALIFY|FETCH|WITH)$/i;

export const beginsClause = (word: string): boolean => WORDS.test(word);

/** The place of a token within its own brackets. */
export type Clause = 'select' | 'from' | 'other' | undefined;

/** The clause of each token; its own word is the first of it. */
export function clausesOf(tokens: readonly Token[]): readonly Clause[] {
  const open: Clause[] = [];
  return tokens.map(({ kind, text, depth }) => {
    // Brackets that are closed by now, and new ones, have begun no clause.
    open.length = Math.min(open.length, depth + 1);
    if (kind === 'word') {
      if (/^SELECT$/i.test(text)) open[depth] = 'select';
      else if (/^FROM$/i.test(text)) open[depth] = 'from';
      else if (beginsClause(text)) open[depth] = 'other';
    }
    return open[depth];
  });
}
