import type { StatementText } from '../statements/postgres-tokens.js';

/**
 * Columns of the catalog that newer versions of PostgreSQL have renamed, while older programs still
 * use the old names.
 */
const NEWER: Readonly<Record<string, string>> = {
  // PostgreSQL 17 has renamed it; psql 15 and 16 use it for `\l`.
  daticulocale: 'datlocale',
  colliculocale: 'colllocale',
};

/**
 * The statement with the current names of its columns. Places before them in error messages stay
 * correct.
 */
export function inNewerNames({ text, tokens }: StatementText): string {
  let written = '';
  let from = 0;
  for (const { value, start, end } of tokens) {
    const newer = Object.hasOwn(NEWER, value) ? NEWER[value] : undefined;
    if (newer === undefined) continue;
    written += text.slice(from, start) + newer;
    from = end;
  }
  return written + text.slice(from);
}
