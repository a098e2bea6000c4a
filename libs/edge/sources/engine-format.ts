import { quoteText } from '@app/warehouse';
import type { TableOptions } from '../table-description.js';
import type { Settings } from './source.js';

/** Says how the engine reads files of a format. */
export interface EngineFormat {
  readonly name: string;
  /** The settings for every reading. */
  readonly settings: Settings;
  /** The settings for finding out the schema. */
  readonly inference: Settings;
  /** Tells whether its files declare no types. */
  readonly inferred: boolean;
  /** Endings of file names, without the dot. Other files of a folder do not belong to the table. */
  readonly endings: readonly string[];
}

/** The engine decompresses files with these endings. */
export const COMPRESSED: readonly string[] = ['gz', 'zst', 'bz2', 'xz', 'lz4', 'br'];
const alsoCompressed = (...endings: readonly string[]): readonly string[] =>
  endings.flatMap((each) => [each, ...COMPRESSED.map((packed) => `${each}.${packed}`)]);

/** Collects the columns of all files. Only formats whose columns have names can do so. */
export const OF_ALL_FILES: Settings = { schema_inference_mode: "'union'" };

/** This much of each file is read to infer types. */
export const INFERENCE_BYTES = 32 * 1024 * 1024;
const INFERENCE: Settings = {
  input_format_max_rows_to_read_for_schema_inference: '1000000000',
  input_format_max_bytes_to_read_for_schema_inference: String(INFERENCE_BYTES),
};
/** This many rows of each file are looked at first. */
export const BEGINNING_ROWS = 1_000;
export const OF_BEGINNINGS: Settings = {
  input_format_max_rows_to_read_for_schema_inference: String(BEGINNING_ROWS),
};
/** Besides: of all that there is. */
export const ALL_BYTES: Settings = {
  input_format_max_rows_to_read_for_schema_inference: '9000000000000000000',
  input_format_max_bytes_to_read_for_schema_inference: '9000000000000000000',
};

/** A folder may hold files without a byte. */
const EMPTY_FILES: Settings = { engine_file_skip_empty_files: '1' };

/** Names are matched exactly. By default the engine ignores their case. */
const EXACT_NAMES: Settings = { input_format_column_name_matching_mode: "'match_case'" };

const CSV: Settings = {
  ...EMPTY_FILES,
  ...EXACT_NAMES,
  // An empty field is null, for texts too.
  format_csv_null_representation: "''",
};

/** Reads a null or absent object as null, and not as an object whose fields are null. */
export const NULL_OBJECTS: Settings = { enable_nullable_tuple_type: '1' };

/** Texts stay texts, even if they look like something else. */
const JSON_TYPES: Settings = {
  ...NULL_OBJECTS,
  ...INFERENCE,
  ...OF_ALL_FILES,
  input_format_try_infer_dates: '0',
  input_format_try_infer_datetimes: '0',
  input_format_json_use_string_type_for_ambiguous_paths_in_named_tuples_inference_from_objects: '1',
};

/** Times without a zone stay without one. */
const WALL_TIMES: Settings = { input_format_parquet_local_time_as_utc: '0' };

/** Each record is on a line. */
export const JSON_LINES: EngineFormat = {
  name: 'JSONEachRow',
  settings: { ...EMPTY_FILES, ...EXACT_NAMES, ...NULL_OBJECTS },
  inference: JSON_TYPES,
  inferred: true,
  endings: alsoCompressed('ndjson', 'jsonl'),
};

/** Each record is on a line, as an array of its values. */
export const JSON_ARRAY_LINES: EngineFormat = { ...JSON_LINES, name: 'JSONCompactEachRow' };

/** @returns undefined for a format that is not one of files. */
export function engineFormat(options: TableOptions): EngineFormat | undefined {
  switch (options.format) {
    case 'csv':
      return {
        name: options.hasHeader ? 'CSVWithNames' : 'CSV',
        settings: {
          ...CSV,
          format_csv_delimiter: quoteText(options.delimiter),
          // Blanks around values do not belong to the values, unless blanks are the delimiter.
          input_format_csv_allow_whitespace_or_tab_as_delimiter: [' ', '\t'].includes(
            options.delimiter,
          )
            ? '1'
            : '0',
          // The engine would take a first row of texts for names.
          input_format_csv_detect_header: options.hasHeader ? '1' : '0',
        },
        inference: options.hasHeader ? { ...INFERENCE, ...OF_ALL_FILES } : INFERENCE,
        inferred: true,
        endings: alsoCompressed('csv'),
      };
    case 'json':
      return { ...JSON_LINES, endings: alsoCompressed('json') };
    case 'ndjson':
      return JSON_LINES;
    case 'parquet':
      return {
        name: 'Parquet',
        settings: WALL_TIMES,
        inference: OF_ALL_FILES,
        inferred: false,
        endings: ['parquet'],
      };
    case 'arrow':
      return {
        name: 'Arrow',
        settings: NULL_OBJECTS,
        inference: { ...OF_ALL_FILES, ...NULL_OBJECTS },
        inferred: false,
        endings: ['arrow', 'feather'],
      };
    case 'arrows':
      return {
        name: 'ArrowStream',
        settings: NULL_OBJECTS,
        inference: { ...OF_ALL_FILES, ...NULL_OBJECTS },
        inferred: false,
        endings: ['arrows'],
      };
    default:
      return undefined;
  }
}
