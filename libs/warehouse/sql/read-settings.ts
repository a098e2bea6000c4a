import { isEngineFormat, type EngineFormat } from '../engine-formats.js';
import type { AnswerFormat, QueryLimits, ResultFormat } from '../warehouse.js';

const TREE_MAX = 100_000;
const SPILL = 4;
const PATTERN_MAX = 1000;
const PATTERNS_MAX = 10_000;

/**
 * Every client's query runs under these settings: the engine holds it read-only and bounded, and
 * writes values as our API says.
 */
export const readSettings = (limits: QueryLimits) => ({
  readonly: '1',
  max_execution_time: limits.timeoutSeconds,
  timeout_overflow_mode: 'throw' as const,
  max_memory_usage: String(limits.memoryBytes),
  max_rows_to_read: String(limits.readRows),
  max_bytes_to_read: String(limits.readBytes),
  read_overflow_mode: 'throw' as const,
  max_result_rows: String(limits.resultRows),
  max_result_bytes: String(limits.resultBytes),
  result_overflow_mode: 'throw' as const,
  session_timezone: 'UTC',
  date_time_output_format: 'iso' as const,
  output_format_json_quote_64bit_integers: 0 as const,
  output_format_json_quote_denormals: 0 as const,
  output_format_json_escape_forward_slashes: 0 as const,
  // A decimal shows the digits of its type, as DuckDB, Postgres and DataFusion have it.
  output_format_decimal_trailing_zeros: 1 as const,
  // A text may be cut within a character, and JSON must be UTF-8.
  output_format_json_validate_utf8: 1 as const,
  // Texts are quoted, so an empty one is not null.
  format_csv_null_representation: '',
  // Bytes of a fixed length may not be text.
  output_format_arrow_fixed_string_as_fixed_byte_array: 1 as const,
  output_format_parquet_fixed_string_as_fixed_byte_array: 1 as const,
  output_format_arrow_compression_method: 'none' as const,
  // Every reader of Parquet knows this compression.
  output_format_parquet_compression_method: 'snappy' as const,
  json_type_escape_dots_in_keys: 1 as const,
  joined_subquery_requires_alias: 0 as const,
  // Only fields without a type are columns of this kind.
  asterisk_include_alias_columns: 1 as const,
  // A null object reads as null, and not as an object of nulls.
  enable_nullable_tuple_type: 1 as const,
  // These settings follow standard SQL; the engine has other defaults.
  union_default_mode: 'DISTINCT' as const,
  intersect_default_mode: 'DISTINCT' as const,
  except_default_mode: 'DISTINCT' as const,
  join_use_nulls: 1 as const,
  group_by_use_nulls: 1 as const,
  cast_keep_nullable: 1 as const,
  prefer_column_name_to_alias: 1 as const,
  aggregate_functions_null_for_empty: 1 as const,
  // For a time before 1970, the beginning of its day or hour is rounded down.
  enable_extended_results_for_datetime_functions: 1 as const,
  // Analysis cannot be interrupted, and names that refer to each other can make trees of any size.
  max_expanded_ast_elements: String(TREE_MAX),
  // Rows that do not fit into memory are sorted on disk.
  max_temporary_data_on_disk_size_for_query: String(limits.memoryBytes * SPILL),
  // Longer patterns take minutes to compile, and no limit stops that.
  max_hyperscan_regexp_length: String(PATTERN_MAX),
  max_hyperscan_regexp_total_length: String(PATTERNS_MAX),
});

/** The limit leaves room for the guard's statement, which is longer than the client's. */
const STATEMENT_BYTES_MAX = 1024 * 1024;

/** The same settings, for queries over HTTP. */
export const requestSettings = (limits: QueryLimits) => ({
  ...readSettings(limits),
  cancel_http_readonly_queries_on_client_close: 1 as const,
  http_write_exception_in_output_format: 0 as const,
  max_query_size: String(STATEMENT_BYTES_MAX),
});

/** Results of our own queries are small, but may exceed a client's limit. */
export const WHOLE_RESULT = {
  max_result_rows: '0',
  max_result_bytes: '0',
} as const;

type EngineName = EngineFormat | 'ArrowStream' | 'Arrow' | 'Parquet';

const ENGINE_FORMAT = {
  json: 'JSONEachRow',
  ndjson: 'JSONEachRow',
  csv: 'CSVWithNames',
  text: 'TabSeparatedRaw',
  'arrow-stream': 'ArrowStream',
  'arrow-file': 'Arrow',
  parquet: 'Parquet',
} as const satisfies Readonly<Record<ResultFormat, EngineName>>;

/** The engine's name of a format. */
export const engineFormat = (format: AnswerFormat): EngineName =>
  isEngineFormat(format) ? format : ENGINE_FORMAT[format];
