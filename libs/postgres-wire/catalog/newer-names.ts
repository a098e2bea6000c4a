import type { StatementText } from '../statements/postgres-tokens.js';

/** Columns of the catalog that PostgreSQL has named anew since programs that still ask for them were made. */
const NEWER: Readonly<Record<string, string>> = {
  // PostgreSQL 17; psql 15 and 16 ask for it at `\l`.
  daticulocale: 'datlocale',
  colliculocale: 'colllocale',
};

/** The statement with the names that its columns have now; places of mistakes before them stay. */
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
