import { quoteText } from '@app/warehouse';
import type { TableDescription } from '@app/query';
import { postgresType } from '../types/postgres-type.js';

/** PostgreSQL has no longer names, and no wider tables. */
const [NAME_BYTES_MAX, COLUMNS_MAX] = [63, 1600];
/** Columns that every table of PostgreSQL has by itself. */
const SYSTEM_COLUMNS = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const isShort = (name: string): boolean => Buffer.byteLength(name) <= NAME_BYTES_MAX && name !== '' && !name.includes('\0'); // prettier-ignore

/**
 * Statements that make tables with these columns in PostgreSQL, without rows. What it has no name
 * or no room for is left out. The engine's own type of a column stands in the column's comment.
 */
export function catalogTables(tables: readonly TableDescription[]): string {
  return tables
    .filter(({ name }) => isShort(name))
    .map(({ name, columns }) => {
      const seen = new Set<string>(SYSTEM_COLUMNS);
      const kept = columns
        .filter((column) => isShort(column.name) && !seen.has(column.name) && seen.add(column.name))
        .slice(0, COLUMNS_MAX);
      const list = kept.map(({ name: column, type }) => {
        const isNullable = /^(?:LowCardinality\()?Nullable\(|^(?:Dynamic|Variant)/.test(type);
        return `${quoted(column)} ${postgresType(type).name}${isNullable ? '' : ' NOT NULL'}`;
      });
      const comments = kept.map(
        ({ name: column, type }) =>
          `COMMENT ON COLUMN ${quoted(name)}.${quoted(column)} IS ${text(type)};`,
      );
      return `CREATE TABLE ${quoted(name)} (${list.join(', ')});${comments.join('')}`;
    })
    .join('\n');
}

/** Backslashes are themselves in PostgreSQL, and are not in the engine. */
const text = (value: string): string =>
  value.includes('\\') ? `E${quoteText(value)}` : `'${value.replaceAll("'", "''")}'`;
