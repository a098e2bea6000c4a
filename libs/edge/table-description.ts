import type { ArrowDataType } from './arrow-data-type.js';

/** Formats a table can be in. `jsonl` is an alias of `ndjson`, resolved when it is read. */
export const TABLE_FORMATS = [
  'csv',
  'json',
  'ndjson',
  'parquet',
  'arrow',
  'arrows',
  'delta',
  'iceberg',
  'xls',
  'xlsx',
  'xlsb',
  'ods',
  'sqlite',
  'mysql',
  'postgres',
] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Formats of a workbook's sheets. */
type SheetFormat = 'xls' | 'xlsx' | 'xlsb' | 'ods';
type DatabaseFormat = 'sqlite' | 'mysql' | 'postgres';
type PlainFormat = 'ndjson' | 'parquet' | 'arrow' | 'arrows' | 'delta' | 'iceberg';

/** Options for reading the bytes of a table. An absent option has ROAPI's default. */
export type TableOptions =
  | {
      readonly format: 'csv';
      /** Without a header, columns are `column_1`, …. */
      readonly hasHeader: boolean;
      /** One byte; absent: that of the first line. */
      readonly delimiter?: string;
      /** Indexes of the columns to take, from 0; absent: all. */
      readonly projection?: readonly number[];
    }
  | {
      readonly format: 'json';
      /** RFC 6901; absent: the whole document. */
      readonly pointer?: string;
      /** Rows are arrays, in the order of `columns`, which must be given then. */
      readonly arrayEncoded: boolean;
    }
  | { readonly format: PlainFormat }
  | {
      readonly format: SheetFormat;
      /** It is absent for the first sheet. */
      readonly sheetName?: string;
      /**
       * The first row of the range to read. Rows count from 0, and both ends are included; absent:
       * as far as there are cells.
       */
      readonly rowsStart?: number;
      readonly rowsEnd?: number;
      readonly columnsStart?: number;
      readonly columnsEnd?: number;
      /** This many rows decide the types; absent: all. */
      readonly inferenceRows?: number;
    }
  | {
      readonly format: DatabaseFormat;
      /** The name of the table in the database; absent: the table's own name. */
      readonly table?: string;
    };

export interface DescribedColumn {
  readonly name: string;
  readonly dataType: ArrowDataType;
  readonly nullable: boolean;
}

/**
 * A table as somebody asked for it: on the command line, in a configuration file, by
 * `POST /api/table`. Plain data; `table-entry.ts` reads and prints it.
 */
export interface DescribedTable {
  readonly name: string;
  /** It is as it was given: a path, a glob, a URL, or `stdin`. May hold a password. */
  readonly uri: string;
  readonly options: TableOptions;
  /** True: copied into the engine; false: queried in place; absent: the format decides. */
  readonly materialize?: boolean;
  /** The schema; absent: it is inferred. */
  readonly columns?: readonly DescribedColumn[];
  /** Files whose inferred schemas together are the table's. */
  readonly schemaFromFiles?: readonly string[];
  /** Columns whose values are in the folders' names (`year=2024/`), outermost first. */
  readonly partitionColumns?: readonly DescribedColumn[];
  /** Seconds after which a materialized table is read again; absent: the program's default. */
  readonly reloadSeconds?: number;
  /** Headers that are sent with each HTTP request for the table. They may be secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The follower creates and drops this table; no user has asked for it by name. */
  readonly followed?: true;
}
