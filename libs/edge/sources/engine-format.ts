import { quoteText } from '@app/warehouse';
import type { TableOptions } from '../table-description.js';
import type { CsvShape, Settings } from './source.js';

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
  // Many files end with blank lines.
  input_format_csv_skip_trailing_empty_lines: '1',
  // An empty field is null, for texts too.
  format_csv_null_representation: "''",
};

/** Blanks around a number are no matter, and quotes none. */
const CSV_TYPES: Settings = {
  ...INFERENCE,
  input_format_csv_trim_whitespaces: '1',
  input_format_try_infer_exponent_floats: '1',
  input_format_csv_try_infer_numbers_from_strings: '1',
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
/**
 * JSON stays text, and a shape stays bytes, as in an upload. The engine would read JSON that is
 * no object as an error, and a shape that is null as a point at 0, 0.
 */
const AS_BYTES: Settings = {
  input_format_parquet_enable_json_parsing: '0',
  input_format_parquet_allow_geoparquet_parser: '0',
};

/** Bytes of one length may have more than 256 of them. */
const LONG_BYTES: Settings = { allow_suspicious_fixed_string_types: '1' };

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

/** Finds columns with names as they are written. What is kept of earlier inferences does not depend on the first of these. */
export const AS_READ: Settings = {
  input_format_csv_trim_whitespaces: '0',
  schema_inference_use_cache_for_file: '0',
  schema_inference_use_cache_for_s3: '0',
  schema_inference_use_cache_for_azure: '0',
  schema_inference_use_cache_for_url: '0',
};

/** @param written as it is found out by its first lines */
export const csvFormat = (hasHeader: boolean, written: CsvShape): EngineFormat => ({
  name: hasHeader ? 'CSVWithNames' : 'CSV',
  settings: {
    ...CSV,
    format_csv_delimiter: quoteText(written.delimiter),
    input_format_csv_allow_whitespace_or_tab_as_delimiter: [' ', '\t'].includes(written.delimiter)
      ? '1'
      : '0',
    ...(written.skipped > 0 && { input_format_csv_skip_first_lines: String(written.skipped) }),
    ...blanksOf(written),
    // The engine would take a first row of texts for names.
    input_format_csv_detect_header: hasHeader ? '1' : '0',
  },
  inference: hasHeader ? { ...CSV_TYPES, ...OF_ALL_FILES } : CSV_TYPES,
  inferred: true,
  endings: alsoCompressed('csv'),
});

/** Blanks around a value belong to it, unless the engine would not find the quotes behind them. */
export const blanksOf = ({ isLoose }: Pick<CsvShape, 'isLoose'>): Settings => ({
  input_format_csv_trim_whitespaces: isLoose ? '1' : '0',
});

/** @returns undefined for a format that is not one of files. */
export function engineFormat(options: TableOptions): EngineFormat | undefined {
  switch (options.format) {
    case 'csv': {
      const { delimiter = ',' } = options;
      return csvFormat(options.hasHeader, { delimiter, skipped: 0, isLoose: false });
    }
    case 'json':
      return { ...JSON_LINES, endings: alsoCompressed('json') };
    case 'ndjson':
      return JSON_LINES;
    case 'parquet':
      return {
        name: 'Parquet',
        settings: { ...WALL_TIMES, ...AS_BYTES, ...LONG_BYTES },
        inference: OF_ALL_FILES,
        inferred: false,
        endings: ['parquet'],
      };
    case 'arrow':
      return {
        name: 'Arrow',
        settings: { ...NULL_OBJECTS, ...LONG_BYTES },
        inference: { ...OF_ALL_FILES, ...NULL_OBJECTS },
        inferred: false,
        endings: ['arrow', 'feather'],
      };
    case 'arrows':
      return {
        name: 'ArrowStream',
        settings: { ...NULL_OBJECTS, ...LONG_BYTES },
        inference: { ...OF_ALL_FILES, ...NULL_OBJECTS },
        inferred: false,
        endings: ['arrows'],
      };
    default:
      return undefined;
  }
}
