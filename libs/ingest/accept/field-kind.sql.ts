/**
 * SQL: name and value of every field of the record in `line`, values as JSON text written by the
 * engine's parser: a fraction without a fractional part reads as the integer it is. (Reading
 * values as the `Dynamic` type instead tells kinds that depend on what stood before them.)
 */
export const FIELDS = 'JSONExtractKeysAndValuesRaw(line)';

/** Kind of null. */
export const NOTHING = 'None';
/** Kind of an array that says nothing about its elements. */
export const EMPTY_ARRAY = 'Array(Nothing)';
/** Kind of an array of arrays, or of values of several kinds. */
const MIXED_ARRAY = 'Array(Dynamic)';

/** SQL: the kind of a value given as JSON text, as the column types' rules name it. */
export function kindOf(raw: string): string {
  const elements = `arrayDistinct(arrayMap(e -> ${plainKind('e')}, JSONExtractArrayRaw(${readable(raw)})))`;
  // Bound by a lambda: a statement's cost grows with its text.
  return `if(startsWith(${raw}, '['), arrayMap(s -> ${arrayKind('s')}, [${elements}])[1], ${plainKind(raw)})`;
}

/**
 * SQL: JSON text of the engine's parser as it reads it itself. It writes 2.5e19 with all its digits,
 * and refuses an integer of so many: an array with one would look empty.
 */
const readable = (raw: string): string =>
  `if(isValidJSON(${raw}), ${raw}, replaceRegexpAll(${raw}, '([\\\\[,:]-?[0-9]{19,})', '\\\\1e0'))`;

/** What 64 bits do not hold was not written as an integer: the engine refuses that. */
function plainKind(raw: string): string {
  const first = `substring(${raw}, 1, 1)`;
  return (
    `multiIf(${first} = '"', 'String', ${first} = '{', 'JSON', ${first} = '[', 'Array', ${first} = 'n', '${NOTHING}',` +
    ` ${first} IN ('t', 'f'), 'Bool', match(${raw}, '[.eE]'), 'Float64',` +
    ` isNotNull(toInt64OrNull(${raw})), 'Int64', isNotNull(toUInt64OrNull(${raw})), 'UInt64', 'Float64')`
  );
}

/** Numbers of several kinds are numbers of the widest; nulls among objects would be lost as objects. */
function arrayKind(kinds: string): string {
  const only = (...allowed: string[]): string =>
    `hasAll([${allowed.map((kind) => `'${kind}'`).join(', ')}], ${kinds})`;
  return (
    `multiIf(${only(NOTHING)}, '${EMPTY_ARRAY}', ${only('String', NOTHING)}, 'Array(Nullable(String))',` +
    ` ${only('Int64', NOTHING)}, 'Array(Nullable(Int64))', ${only('Int64', 'UInt64', NOTHING)}, 'Array(Nullable(UInt64))',` +
    ` ${only('Int64', 'Float64', NOTHING)}, 'Array(Nullable(Float64))', ${only('Bool', NOTHING)}, 'Array(Nullable(Bool))',` +
    ` ${only('JSON')}, 'Array(JSON)', '${MIXED_ARRAY}')`
  );
}
