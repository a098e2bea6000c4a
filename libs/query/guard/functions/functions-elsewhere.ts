const STRUCT =
  "structs are written CAST(ROW(1, 'x') AS STRUCT(a INTEGER, b VARCHAR)); map('a', 1, 'b', 2) holds values of one type";
const ENTRIES =
  "unnest(json_keys(j)) makes a row of each key, and json_extract_string(j, 'a') is a value";
const ELEMENTS = 'unnest(k.list) makes a row of each element of a list of an object';
const FIELD = "a field of an object is k.c, or k['c']";

/** Functions of other systems that do not exist here, in lower case, each with its replacement. */
export const FUNCTIONS_ELSEWHERE: Readonly<Record<string, string>> = {
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
  list_any_value: 'list[1]',
  list_grade_up: 'arraySort((i, x) -> x, arrayEnumerate(list), list)',
  list_reduce: 'arrayFold((a, x) -> a + x, list, start)',
  list_where: 'arrayFilter((x, ok) -> ok, list, truths)',
  make_interval: 'INTERVAL 1 DAY, or toIntervalDay(n)',
  make_time: "CAST('10:20:30' AS TIME)",
  map_entries: 'arrayZip(map_keys(m), map_values(m))',
  named_struct: STRUCT,
  row: STRUCT,
  struct_extract: FIELD,
  struct_pack: STRUCT,
  unicode: "ascii(x) is the first byte's number",
};
