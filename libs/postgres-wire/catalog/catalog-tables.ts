import { quoteText } from '@app/warehouse';
import type { TableDescription } from '@app/query';
import { postgresType } from '../values/postgres-type.js';

/** PostgreSQL's limits of names and of columns. */
const [NAME_BYTES_MAX, COLUMNS_MAX] = [63, 1600];
/** The columns that every table of PostgreSQL has automatically. */
const SYSTEM_COLUMNS = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const isShort = (name: string): boolean => Buffer.byteLength(name) <= NAME_BYTES_MAX && name !== '' && !name.includes('\0'); // prettier-ignore

/**
 * Statements that create tables with these columns in PostgreSQL, without rows. Columns that have
 * no valid name, or do not fit, are left out. A column's comment has the engine's own type.
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

/** A backslash is a plain character in PostgreSQL, but an escape in the engine. */
const text = (value: string): string =>
  value.includes('\\') ? `E${quoteText(value)}` : `'${value.replaceAll("'", "''")}'`;
