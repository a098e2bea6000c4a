import { didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import { quoteText, type Column } from '@app/warehouse';
import type { Catalog } from '../../catalog.js';
import { withNamedBytes } from '../../plan/binary-values.js';
import { authorTokens } from '../author-tokens.js';
import type { Token } from '../../search/statement-tokens.js';

const TABLES = /^SHOW TABLES$/;
const COLUMNS = /^(?:DESCRIBE|DESC|DESCRIBE TABLE|DESC TABLE|SHOW COLUMNS FROM|SHOW COLUMNS IN)$/;

/**
 * Answers SHOW TABLES, SHOW COLUMNS FROM t and DESCRIBE t from the organization's tables. The
 * result is a SELECT of texts, which is judged like any other.
 * @returns undefined for any other statement.
 * @throws {MillraceError} STREAM_NOT_FOUND
 */
export function fromCatalog(
  text: string,
  catalog: Catalog,
  organization: RequestOrganization,
): string | undefined {
  if (!/^[^\p{L}]*(?:SHOW|DESC)/iu.test(text)) return undefined;
  const tokens = authorTokens(text)?.filter(({ text: mark }) => mark !== ';') ?? [];
  if (TABLES.test(wordsOf(tokens)))
    return rowsOf(
      ['table_name'],
      catalog
        .tables(organization)
        .map(({ name }) => [name])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
  const last = tokens.at(-1);
  if (!last || !COLUMNS.test(wordsOf(tokens.slice(0, -1)))) return undefined;
  const table = catalog.table(organization, last.value);
  if (!table) {
    const known = catalog.tables(organization).map(({ name }) => name);
    throw new MillraceError(
      'STREAM_NOT_FOUND',
      `${catalog.missing(organization, last.value)}${didYouMean(last.value, known)}`,
    );
  }
  return rowsOfColumns(table.columns);
}

/** A SELECT of the names and types of columns, as DESCRIBE answers. */
export function rowsOfColumns(columns: readonly Column[]): string {
  return rowsOf(
    ['column_name', 'data_type', 'is_nullable'],
    columns.map(({ name, type }) => {
      const inner = /^Nullable\((.*)\)$/s.exec(type)?.[1];
      return [name, withNamedBytes(inner ?? type), inner === undefined ? 'NO' : 'YES'];
    }),
  );
}

const wordsOf = (tokens: readonly Token[]): string =>
  tokens.map(({ text }) => text.toUpperCase()).join(' ');

/** A SELECT of rows of texts. */
export function rowsOf(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const structure = quoteText(columns.map((name) => `${name} String`).join(', '));
  const values = rows.map((row) => `(${row.map(quoteText).join(', ')})`);
  if (values.length === 0)
    return `SELECT * FROM values(${structure}, (${columns.map(() => "''").join(', ')})) WHERE false`;
  return `SELECT * FROM values(${structure}, ${values.join(', ')})`;
}
