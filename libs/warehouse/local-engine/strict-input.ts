/**
 * The engine's JSON input is lenient by default. With these settings it refuses values that it
 * would otherwise change; acceptance itself checks what they do not cover. One thread a statement
 * keeps memory low: acceptance runs several at a time.
 */
export const STRICT_INPUT: readonly string[] = [
  '--max_threads=1',
  '--max_insert_threads=1',
  '--compile_expressions=0',
  '--max_block_size=16384',
  // Statements of ours grow with a stream's columns, of which there may be 2,000.
  '--max_query_size=268435456',
  '--max_ast_elements=1000000',
  '--max_expanded_ast_elements=1000000',
  // A thousand times within structs need more steps back than the default allows.
  '--max_parser_backtracks=0',
  '--min_insert_block_size_rows=16384',
  '--min_insert_block_size_bytes=4194304',
  '--input_format_parallel_parsing=0',
  '--output_format_parallel_formatting=0',
  // The engine's usual parser is faster, but changes one float in a hundred to its neighbour.
  '--precise_float_parsing=1',
  '--input_format_json_read_numbers_as_strings=0',
  '--input_format_json_read_bools_as_strings=0',
  '--input_format_json_read_bools_as_numbers=0',
  '--input_format_json_read_arrays_as_strings=0',
  '--input_format_json_read_objects_as_strings=0',
  '--input_format_skip_unknown_fields=0',
  '--input_format_null_as_default=1',
  // By default, a field without a column goes into a column whose name differs only in case.
  '--input_format_column_name_matching_mode=match_case',
  '--input_format_try_infer_dates=0',
  '--input_format_try_infer_datetimes=0',
  '--input_format_json_infer_array_of_dynamic_from_array_of_different_types=1',
  '--json_type_escape_dots_in_keys=1',
  // Values of bytes with a fixed length may be long.
  '--allow_suspicious_fixed_string_types=1',
  // Names of columns in the stream must not affect names in our statements.
  '--prefer_column_name_to_alias=1',
  '--engine_file_truncate_on_insert=1',
  // The compression is fast rather than small, because a batch is read back within seconds.
  '--output_format_compression_level=1',
  '--session_timezone=UTC',
];

/**
 * Settings for reading tables that come with a schema of their own. The memory a reader may take ahead is
 * what keeps an upload's memory low, and is faster than the default besides.
 */
export const EXTRACTION: readonly string[] = [
  '--input_format_parquet_memory_low_watermark=524288',
  '--input_format_parquet_memory_high_watermark=2097152',
  '--input_format_parquet_enable_row_group_prefetch=0',
  // Rows are numbered in the order in which they come, and a rejected row is identified by its
  // number.
  '--input_format_parquet_preserve_order=1',
  '--input_format_parquet_prefer_block_bytes=1048576',
  '--input_format_parquet_max_block_size=16384',
  // The parts of a memory-mapped file that were read count as memory of the process.
  '--storage_file_read_method=pread',
  // All pages are read, and some writers count their rows wrongly in the index.
  '--input_format_parquet_use_offset_index=0',
  '--input_format_parquet_enable_json_parsing=0',
  '--input_format_parquet_allow_missing_columns=0',
  '--input_format_arrow_allow_missing_columns=0',
  // With it, the reader of Arrow keeps null structs apart from empty ones.
  '--allow_experimental_nullable_tuple_type=1',
  '--use_parquet_metadata_cache=0',
  '--output_format_json_quote_denormals=1',
];
