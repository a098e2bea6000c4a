import type { CommandGetDbSchemas, CommandGetTables } from '../protocol/sql-messages.js';
import type { MessageOf } from '../protocol/wire.js';
import { fitsPattern } from './name-pattern.js';
import { column, type MetadataColumn } from './write-rows.js';

/**
 * There is one set of tables: in a catalog without a name, so that clients which put names together
 * write `public.cities`, as SQL takes it.
 */
const CATALOG = '';
const SCHEMA = 'public';
const TABLE = 'TABLE';

export const catalogs = (): readonly MetadataColumn[] => [column('catalog_name', [CATALOG])];

export const tableTypes = (): readonly MetadataColumn[] => [column('table_type', [TABLE])];

type SchemasAsked = Pick<MessageOf<typeof CommandGetDbSchemas>, 'catalog' | 'schemaPattern'>;

export function schemas(asked: SchemasAsked): readonly MetadataColumn[] {
  const isThere = fitsSchema(asked);
  return [
    column('catalog_name', isThere ? [CATALOG] : [], { isNullable: true }),
    column('db_schema_name', isThere ? [SCHEMA] : []),
  ];
}

const fitsSchema = ({ catalog = CATALOG, schemaPattern = SCHEMA }: SchemasAsked): boolean =>
  catalog === CATALOG && fitsPattern(SCHEMA, schemaPattern);

type TablesAsked = MessageOf<typeof CommandGetTables>;

/** Names of the tables that are asked for, in order. */
export function tablesAsked(names: readonly string[], asked: TablesAsked): readonly string[] {
  const { tablePattern = '%', tableTypes: types } = asked;
  if (!fitsSchema(asked) || (types.length > 0 && !types.includes(TABLE))) return [];
  return names.filter((name) => fitsPattern(name, tablePattern)).sort();
}

/** @param tableSchemas of each table, as Arrow writes a schema; undefined: they are not asked for */
export function tableRows(
  names: readonly string[],
  tableSchemas: readonly Buffer[] | undefined,
): readonly MetadataColumn[] {
  const isNullable = true;
  const same = (text: string): readonly string[] => names.map(() => text);
  return [
    column('catalog_name', same(CATALOG), { isNullable }),
    column('db_schema_name', same(SCHEMA), { isNullable }),
    column('table_name', names),
    column('table_type', same(TABLE)),
    ...(tableSchemas ? [column('table_schema', tableSchemas, { type: 'bytes' })] : []),
  ];
}
