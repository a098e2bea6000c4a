import { authorTokens } from '../author-tokens.js';

const BEFORE = /^(?:DESC|DESCRIBE)$/i;
const SELECTS = /^(?:SELECT|WITH|FROM|VALUES|\()$/i;

/**
 * Finds the statement behind DESCRIBE, as in `DESCRIBE SELECT 1` and `DESCRIBE TABLE (SELECT 1)`.
 * @returns undefined for any other statement, also for DESCRIBE of a table
 */
export function describedSelect(text: string): string | undefined {
  if (!/^[^\p{L}]*DESC/iu.test(text)) return undefined;
  const tokens = authorTokens(text)?.filter(({ text: mark }) => mark !== ';') ?? [];
  const [first, second, third] = tokens;
  if (!first || !BEFORE.test(first.text)) return undefined;
  const select = /^TABLE$/i.test(second?.text ?? '') ? third : second;
  // A word alone is the name of a table.
  if (!select || select === tokens.at(-1) || !SELECTS.test(select.text)) return undefined;
  const inner = text.slice(select.start, tokens.at(-1)?.end);
  return select.text === '(' ? `SELECT * FROM ${inner}` : inner;
}
