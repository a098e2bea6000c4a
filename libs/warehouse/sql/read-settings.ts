import type { QueryLimits, ResultFormat } from '../warehouse.js';

/** What every client's query runs under: the engine holds it read-only and bounded, and writes values as our API says. */
export const readSettings = (limits: QueryLimits) => ({
  readonly: '1',
  max_execution_time: limits.timeoutSeconds,
  timeout_overflow_mode: 'throw' as const,
  max_memory_usage: String(limits.memoryBytes),
  max_result_rows: String(limits.resultRows),
  max_result_bytes: String(limits.resultBytes),
  result_overflow_mode: 'throw' as const,
  session_timezone: 'UTC',
  date_time_output_format: 'iso' as const,
  output_format_json_quote_64bit_integers: 0 as const,
  output_format_json_quote_denormals: 0 as const,
  output_format_json_escape_forward_slashes: 0 as const,
  json_type_escape_dots_in_keys: 1 as const,
});

export const ENGINE_FORMAT = {
  json: 'JSONEachRow',
  ndjson: 'JSONEachRow',
  csv: 'CSVWithNames',
  text: 'TabSeparatedRaw',
} as const satisfies Readonly<Record<ResultFormat, string>>;
