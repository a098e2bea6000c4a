const STRUCT =
  "structs are written CAST(ROW(1, 'x') AS STRUCT(a INTEGER, b VARCHAR)); map('a', 1, 'b', 2) holds values of one type";
const ENTRIES =
  "unnest(json_keys(j)) makes a row of each key, and json_extract_string(j, 'a') is a value";
const ELEMENTS = 'unnest(k.list) makes a row of each element of a list of an object';
const GRAFANA =
  "Grafana puts times in place of its macros itself; elsewhere it is _timestamp >= now() - INTERVAL '1 hour'";
const FIELD = "a field of an object is k.c, or k['c']";

/** Functions of other systems that do not exist here, in lower case, each with its replacement. */
export const FUNCTIONS_ELSEWHERE: Readonly<Record<string, string>> = {
  $__timefilter: GRAFANA,
  $__timeinterval: GRAFANA,
  $__timegroup: GRAFANA,
  ago: "_timestamp > now() - INTERVAL '1 day'",
  dc: 'count(DISTINCT x)',
  decode: "CASE k WHEN 'a' THEN 1 ELSE 0 END",
  fdiv: 'floor(a / b)',
  fmod: 'a % b',
  generate_subscripts: 'arrayEnumerate(list)',
  hash: 'cityHash64(x)',
  json_agg: 'array_agg(x)',
  json_array_elements: ELEMENTS,
  json_array_elements_text: ELEMENTS,
  json_build_object: "toJSONString(map('a', x))",
  json_each: ENTRIES,
  json_each_text: ENTRIES,
  json_object: "toJSONString(map('a', x))",
  json_object_keys: 'json_keys(j)',
  jsonb_agg: 'array_agg(x)',
  jsonb_array_elements: ELEMENTS,
  jsonb_array_elements_text: ELEMENTS,
  jsonb_build_object: "toJSONString(map('a', x))",
  jsonb_each: ENTRIES,
  jsonb_each_text: ENTRIES,
  jsonb_object_keys: 'json_keys(j)',
  jsonb_path_exists: "json_extract(j, '$.a.b[0]') IS NOT NULL",
  jsonb_path_query: "json_extract(j, '$.a.b[0]')",
  jsonb_path_query_first: "json_extract(j, '$.a.b[0]')",
  any_match: 'arrayExists(x -> x > 1, list)',
  convert: 'CAST(x AS INTEGER)',
  convert_tz: "t AT TIME ZONE 'Europe/Berlin'",
  json_extract_array: "JSONExtractArrayRaw(j, 'a')",
  json_query_array: "JSONExtractArrayRaw(j, 'a')",
  list_any_value: 'list[1]',
  list_grade_up: 'arraySort((i, x) -> x, arrayEnumerate(list), list)',
  list_reduce: 'arrayFold((a, x) -> a + x, list, start)',
  list_where: 'arrayFilter((x, ok) -> ok, list, truths)',
  match_all:
    "it is search's, at _search: here message ILIKE '%word%', or hasToken(lower(message), 'word')",
  ndv: 'approx_distinct(x), or count(DISTINCT x)',
  percentile: 'quantile_cont(x, 0.95)',
  ratio_to_report: 'x / sum(x) OVER ()',
  sequence: "generate_series(1, 3), generate_series(from, to, INTERVAL '1 hour')",
  generate_timestamp_array: "generate_series(from, to, INTERVAL '1 hour')",
  generate_date_array: "generate_series(from, to, INTERVAL '1 day')",
  time_bucket_gapfill:
    "time_bucket('1 hour', t) AS b … ORDER BY b WITH FILL FROM '2026-01-01' TO '2026-01-02' STEP INTERVAL 1 HOUR",
  make_interval: 'INTERVAL 1 DAY, or toIntervalDay(n)',
  make_time: "CAST('10:20:30' AS TIME)",
  map_entries: 'arrayZip(map_keys(m), map_values(m))',
  named_struct: STRUCT,
  row: STRUCT,
  struct_extract: FIELD,
  struct_pack: STRUCT,
  unicode: "ascii(x) is the first byte's number",
};
