import { certain, MillraceError, type RequestOrganization } from '@app/platform';
import { quoteText } from '@app/warehouse';
import type { Catalog, TableDescription } from '../../catalog.js';
import { KNOWN_FUNCTIONS } from '../../guard/functions/allowed-functions.js';
import { ALLOWED_SETTINGS } from '../../guard/allowed-settings.js';
import { STATEMENT_BYTES_MAX } from '../../guard/limits.js';
import { asText } from '../../plan/binary-values.js';
import { WITHOUT_EFFECT } from '../request-parameters.js';

/** The `database` that clients see. */
export const DATABASE_COLUMN = 'database_name';

const NO_UUID = "'00000000-0000-0000-0000-000000000000' AS uuid";
const TIMESTAMP = '_timestamp';
/** The rest of a statement's length is for the author's text. */
const ROWS_BYTES_MAX = STATEMENT_BYTES_MAX / 2;

/** Clients ask here whether they may send a setting. */
const TAKEN_SETTINGS = [...ALLOWED_SETTINGS, ...WITHOUT_EFFECT];

/** Drivers read these columns, but work without them. */
const SIZES = ['character_octet_length', 'numeric_precision', 'numeric_precision_radix', 'numeric_scale', 'datetime_precision']; // prettier-ignore

interface Asked {
  readonly catalog: Catalog;
  readonly organization: RequestOrganization;
  /** The one requested table; undefined: all. */
  readonly only: string | undefined;
}

/**
 * Drivers, and the tools that use them, read these tables. All other tables of `system` are about
 * the whole server.
 */
const TABLES: Readonly<Record<string, (asked: Asked) => string>> = {
  databases: ({ organization }) =>
    `SELECT ${quoteText(organization.name)} AS name, 'Millrace' AS engine, ${NO_UUID}, '' AS comment`,
  tables: (asked) => {
    const rows = tablesOf(asked).map(({ name, columns }) => [name, keyOf(columns)]);
    const of = `${database(asked)}, r.1 AS name, ${NO_UUID}, 'MergeTree' AS engine, 0 AS is_temporary`;
    const keys = `'' AS partition_key, r.2 AS sorting_key, r.2 AS primary_key, '' AS sampling_key`;
    const counts = 'CAST(NULL, \'Nullable(UInt64)\') AS total_rows, CAST(NULL, \'Nullable(UInt64)\') AS total_bytes'; // prettier-ignore
    const texts = "'' AS engine_full, '' AS create_table_query, '' AS as_select, [''] AS data_paths, '' AS comment"; // prettier-ignore
    return `SELECT ${of}, ${keys}, ${counts}, ${texts} FROM ${list(rows, 'String, String')}`;
  },
  columns: (asked) => {
    const tables = tablesOf(asked);
    const types = [...new Set(tables.flatMap(({ columns }) => columns.map(({ type }) => type)))];
    const numbers = new Map(types.map((type, at) => [type, at + 1]));
    // The same types occur many times, and the length of a statement is limited.
    const rows = tables.map(({ name, columns }) => [
      name,
      columns.map((column) => [column.name, numbers.get(column.type)]),
    ]);
    const of = `${database(asked)}, r.1 AS "table", c.1 AS name, ${array(types.length > 0 ? types.map(asText) : [''])}[c.2] AS type, at AS position`;
    const key = `toUInt8(c.1 = '${TIMESTAMP}')`;
    const keys = `toUInt8(0) AS is_in_partition_key, ${key} AS is_in_sorting_key, ${key} AS is_in_primary_key`;
    const texts = "'' AS default_kind, '' AS default_expression, '' AS comment, '' AS compression_codec"; // prettier-ignore
    const sizes = SIZES.map((name) => `CAST(NULL, 'Nullable(UInt64)') AS ${name}`).join(', ');
    return `SELECT ${of}, ${keys}, ${texts}, ${sizes} FROM ${list(rows, 'String, Array(Tuple(String, UInt32))')} ARRAY JOIN r.2 AS c, arrayEnumerate(r.2) AS at`;
  },
  functions: () =>
    `SELECT arrayJoin(${array(KNOWN_FUNCTIONS)}) AS name, toUInt8(0) AS is_aggregate, toUInt8(1) AS case_insensitive, '' AS alias_to`,
  settings: () =>
    `SELECT arrayJoin(${array(TAKEN_SETTINGS)}) AS name, '' AS value, toUInt8(0) AS changed, '' AS description, CAST(NULL, 'Nullable(String)') AS min, CAST(NULL, 'Nullable(String)') AS max, toUInt8(0) AS readonly, 'String' AS type, '' AS default`,
};

const array = (texts: readonly string[]): string => `[${texts.map(quoteText).join(', ')}]`;

const database = ({ organization }: Asked): string =>
  `${quoteText(organization.name)} AS ${DATABASE_COLUMN}`;

/**
 * All rows as one text, which the engine parses faster than as many expressions. Each row is called
 * r.
 */
const list = (rows: readonly unknown[], types: string): string =>
  `(SELECT arrayJoin(JSONExtract(${quoteText(JSON.stringify(rows))}, 'Array(Tuple(${types}))')) AS r)`;

const keyOf = (columns: TableDescription['columns']): string =>
  columns.some(({ name }) => name === TIMESTAMP) ? TIMESTAMP : '';

function tablesOf({ catalog, organization, only }: Asked): readonly TableDescription[] {
  if (only !== undefined) return [catalog.table(organization, only)].filter((each) => each !== undefined); // prettier-ignore
  return [...catalog.tables(organization)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const isSystemTable = (name: string): boolean => Object.hasOwn(TABLES, name);

/**
 * SQL of a table of `system` as one organization sees it, in brackets. Its rows are values in the
 * statement itself, which the guard judges as any others.
 * @throws {MillraceError} RESULT_TOO_LARGE
 */
export function systemRows(
  name: string,
  catalog: Catalog,
  organization: RequestOrganization,
  only?: string,
): string {
  const rows = certain(TABLES[name], `table system.${name}`);
  const sql = rows({ catalog, organization, only });
  if (Buffer.byteLength(sql) > ROWS_BYTES_MAX)
    throw new MillraceError(
      'RESULT_TOO_LARGE',
      `system.${name} has more rows than one statement can hold: ask for one table by DESCRIBE <table>, or for all by GET /api/${organization.name}/schema`,
    );
  return `(${sql})`;
}
