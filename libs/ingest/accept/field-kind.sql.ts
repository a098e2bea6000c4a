/** SQL: name and value of every field of the record in `line`; empty when it is no object or cannot be read whole. */
export const FIELDS = "JSONExtractKeysAndValues(line, 'Dynamic')";

/** Kind of null. */
export const NOTHING = 'None';
/** Kind of an array that says nothing about its elements. */
export const EMPTY_ARRAY = 'Array(Nothing)';
/** Kind of an array of arrays, or of values of several kinds. */
export const MIXED_ARRAY = 'Array(Dynamic)';

/** SQL: the kind of a dynamic value, as the column types' rules name it. */
export function kindOf(value: string): string {
  const type = `dynamicType(${value})`;
  return (
    `multiIf(NOT startsWith(${type}, 'Array'), ${type},` +
    ` match(toString(${value}), '^\\\\[(NULL(,NULL)*)?\\\\]$'), '${EMPTY_ARRAY}',` +
    ` startsWith(${type}, 'Array(Array'), '${MIXED_ARRAY}', ${type})`
  );
}
