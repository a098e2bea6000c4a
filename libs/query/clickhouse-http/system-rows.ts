import type { RequestOrganization } from '@app/platform';
import { quoteText } from '@app/warehouse';
import type { Catalog } from '../catalog.js';
import { KNOWN_FUNCTIONS } from '../guard/allowed-functions.js';
import { ALLOWED_SETTINGS } from '../guard/allowed-settings.js';

/** A table of `system` as one organization sees it. */
interface SystemTable {
  /** Names and types, as the table function `values` takes them. */
  readonly structure: string;
  readonly rows: (catalog: Catalog, organization: RequestOrganization) => readonly Row[];
}

type Row = readonly (string | number | null)[];

/** `database` in what clients see. */
export const DATABASE_COLUMN = 'database_name';

const NO_UUID = '00000000-0000-0000-0000-000000000000';
const TIMESTAMP = '_timestamp';

/** What drivers, and the tools upon them, ask for; all else of `system` is of the whole server. */
const TABLES: Readonly<Record<string, SystemTable>> = {
  databases: {
    structure: 'name String, engine String, uuid String, comment String',
    rows: (_catalog, { name }) => [[name, 'Millrace', NO_UUID, '']],
  },
  tables: {
    structure: `${DATABASE_COLUMN} String, name String, uuid String, engine String, is_temporary UInt8, engine_full String, create_table_query String, partition_key String, sorting_key String, primary_key String, total_rows Nullable(UInt64), total_bytes Nullable(UInt64), comment String`,
    rows: (catalog, organization) =>
      byName(catalog.tables(organization)).map(({ name, columns }) => {
        const key = columns.some((each) => each.name === TIMESTAMP) ? TIMESTAMP : '';
        return [
          organization.name,
          name,
          NO_UUID,
          'MergeTree',
          0,
          '',
          '',
          '',
          key,
          key,
          null,
          null,
          '',
        ];
      }),
  },
  columns: {
    structure: `${DATABASE_COLUMN} String, table String, name String, type String, position UInt64, default_kind String, default_expression String, comment String, is_in_partition_key UInt8, is_in_sorting_key UInt8, is_in_primary_key UInt8, compression_codec String`,
    rows: (catalog, organization) =>
      byName(catalog.tables(organization)).flatMap(({ name: table, columns }) =>
        columns.map(({ name, type }, at) => {
          const isKey = name === TIMESTAMP ? 1 : 0;
          return [organization.name, table, name, type, at + 1, '', '', '', 0, isKey, isKey, ''];
        }),
      ),
  },
  functions: {
    structure: 'name String, is_aggregate UInt8, case_insensitive UInt8, alias_to String',
    rows: () => KNOWN_FUNCTIONS.map((name) => [name, 0, 1, '']),
  },
  settings: {
    structure:
      'name String, value String, changed UInt8, description String, min Nullable(String), max Nullable(String), readonly UInt8, type String, default String',
    rows: () => ALLOWED_SETTINGS.map((name) => [name, '', 0, '', null, null, 0, 'String', '']),
  },
};

const byName = <Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] =>
  [...all].sort((a, b) => (a.name < b.name ? -1 : 1));

export const isSystemTable = (name: string): boolean => Object.hasOwn(TABLES, name);

/**
 * SQL of a table of `system`, in brackets: values in the statement itself, which the guard judges
 * as any others.
 */
export function systemRows(
  name: string,
  catalog: Catalog,
  organization: RequestOrganization,
): string {
  const { structure, rows } = TABLES[name] as SystemTable;
  const found = rows(catalog, organization);
  const written = (found.length > 0 ? found : [structure.split(', ').map(() => null)]).map(
    (row) => `(${row.map(literal).join(', ')})`,
  );
  const from = `SELECT * FROM values(${quoteText(structure)}, ${written.join(', ')})`;
  return found.length > 0 ? `(${from})` : `(${from} WHERE false)`;
}

function literal(value: string | number | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : quoteText(value);
}
