import { isAbort, MillraceError, type ErrorKind } from '@app/platform';
import { PacedError, toWarehouseError, unreadablePart, withoutPaths } from '@app/warehouse';
import { TOO_LARGE } from '../dialect/numbers/exact-sums.js';
import { firstWordProblem } from './first-word.js';
import { adviceOnName, adviceOnSyntax, ungrouped } from './advice.js';
import { foreignNotation, PASSED_NULLS } from './foreign-notation.js';
import { lineAndColumn, placeOf } from './place-in-text.js';

/** The engine's error numbers that the caller can act on, with our kinds for them. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  47: 'UNKNOWN_COLUMN',
  16: 'UNKNOWN_COLUMN',
  60: 'STREAM_NOT_FOUND',
  158: 'RESULT_TOO_LARGE',
  159: 'QUERY_TIMEOUT',
  160: 'QUERY_TIMEOUT',
  164: 'STATEMENT_REFUSED',
  241: 'RESULT_TOO_LARGE',
  307: 'RESULT_TOO_LARGE',
  396: 'RESULT_TOO_LARGE',
  497: 'STATEMENT_REFUSED',
  201: 'TOO_MANY_REQUESTS',
};

/** Tells whether a statement names a table or a column that does not exist. */
export function isUnknownName(error: unknown): boolean {
  if (error instanceof MillraceError)
    return error.kind === 'STREAM_NOT_FOUND' || error.kind === 'UNKNOWN_COLUMN';
  return !isAbort(error) && KINDS[toWarehouseError(error).code] === 'UNKNOWN_COLUMN';
}

/** The numbers for faults of ours or of the disk. */
const OURS = new Set([0, 49, 74, 75, 76, 107, 210, 243, 271, 425, 999]);

const MESSAGES: Partial<Record<ErrorKind, string>> = {
  QUERY_TIMEOUT: 'the query took longer than it may; ask for less, or by a narrower time range',
  STATEMENT_REFUSED: 'the statement is refused: it would do more than read',
  TOO_MANY_REQUESTS:
    'the queries of this organization have used up what they may in a minute; wait and ask again',
};

/** Our messages for the engine's error numbers. */
const OF_NUMBER: Readonly<Record<number, (reason: string) => string>> = {
  215: ungrouped,
  306: () => 'the statement is nested too deep; use fewer parentheses and subqueries',
  396: (reason) => `${reason}; use LIMIT, or ask for sums of them`,
};
/** Integers are compared with this before they overflow 64 bits: see `dialect/expressions.ts`. */
const UNFIT_FOR_64_BITS =
  /^Value in column U?Int(?:128|256) cannot be safely converted into type U?Int(?:8|64)/;
/** Problems that only the engine finds, each with a working alternative. */
const INSTEAD: readonly (readonly [problem: RegExp, instead: string])[] = [
  [/^Correlated subqueries in aggregate function/, 'an aggregate cannot be of a subquery that looks at the outer row: name it in an inner SELECT, SELECT sum(n) FROM (SELECT (SELECT …) AS n FROM t)'], // prettier-ignore
  [/^Correlated subqueries in ORDER BY/, 'rows cannot be ordered by a subquery that looks at the outer row: name it in an inner SELECT, SELECT * FROM (SELECT a, (SELECT …) AS n FROM t) ORDER BY n'], // prettier-ignore
  [/^Correlated subqueries in aggregation keys/, 'a subquery that looks at the outer row cannot be a key of GROUP BY: name it in an inner SELECT, SELECT n, count(*) FROM (SELECT (SELECT …) AS n FROM t) GROUP BY n'], // prettier-ignore
  [/^Cannot decorrelate query, because 'Limit'/, 'a subquery that looks at the outer row takes no LIMIT: SELECT argMin(x, y) is the x of the least y, argMax(x, y) that of the greatest'], // prettier-ignore
  [/^Cannot determine join keys in JOIN ON/, 'an outer join needs an equality in ON: a.k = b.k AND a.x < b.x'], // prettier-ignore
  [/^ASOF join .* at least one equi-join column/, 'ASOF JOIN needs an equality in ON besides, a.k = b.k AND a.t >= b.t'], // prettier-ignore
  [/^No operation \w+ between (?:Nullable\()?(?:Decimal|Int64).* and Interval/, "the difference of two times is a number of seconds: b - a > 10 * 86400, or age('day', a, b) > 10"], // prettier-ignore
  [/^Illegal type (?:Nullable\()?Decimal.* of function to(?:DayOfMonth|Hour|Minute|Second)\b/, "the difference of two times is a number of seconds, of which age('day', a, b) counts whole days"], // prettier-ignore
  [/^Illegal type (?:Nullable\()?Time.* of function to(?:Hour|Minute|Second)\b/, 'parts of a time of day are read of its text: CAST(left(CAST(t AS VARCHAR), 2) AS INTEGER)'], // prettier-ignore
  [
    /^Aggregate function .* is found in WHERE/s,
    'an aggregate is no condition of WHERE: GROUP BY k HAVING count(*) > 3',
  ],
  [/^Window function .* is found in (?:WHERE|HAVING)/s, 'a window function is no condition of WHERE and HAVING: QUALIFY row_number() OVER (ORDER BY t) <= 3'], // prettier-ignore
  [/^Illegal types (?:Nullable\()?Date\S*(?: '\w+'\))?\)? and (?:Nullable\()?String\)? of arguments of function (?:plus|minus)$/, "a length of time is written INTERVAL '1 hour'"], // prettier-ignore
  [/^Number of arguments for function isNull doesn't match: passed 2/, 'isnull(x) is a condition: coalesce(x, y) is y where x is null'], // prettier-ignore
  [/^Empty query/, 'the statement is empty; send one SELECT'],
  [/^AST is too (?:deep|big)/, 'the statement joins too many values one by one: use IN, concat or arraySum of a list, or parameters'], // prettier-ignore
  [/^Invalid base64Decode value/, 'base64 is read of a text that is none: among bytes, which are base64, stands another text. CAST(column AS VARCHAR) makes text of a column of bytes, base64Encode(x) base64 of a text'], // prettier-ignore
  [/^Cannot decorrelate query/, 'a subquery that looks at the outer row is read with aggregates, WHERE and EXISTS alone: join a grouped subquery by its keys'], // prettier-ignore
  [/^Correlated subqueries are not supported as IN/, 'a subquery behind IN cannot look at the outer row: EXISTS (SELECT 1 FROM y WHERE y.b = x.a AND …)'], // prettier-ignore
  [/^(?:Correlated subqueries in (?:join|window)|Cannot evaluate correlated)/, 'a subquery that looks at the outer row cannot stand there: join a grouped subquery by its keys'], // prettier-ignore
  [/^(?:Not found column __table|Current query is not supported yet, because can't find correlated)/, 'a subquery can look at the row of the statement around it, and not at one further out: join a grouped subquery by its keys'], // prettier-ignore
  [/^Number of aliases does not match/, 'names behind a table or a subquery are of all its columns, a stream has _timestamp too: (SELECT x, y FROM t) AS t(a, b)'], // prettier-ignore
  [/^Can not use (?:WITH TIES|OFFSET FETCH)/, 'WITH TIES needs an ORDER BY'],
  [/^Multiple expressions .* for alias /, 'two columns of one SELECT have one name: give each its own, x.b AS b, y.b AS c'], // prettier-ignore
  [/^Value in column (?:U?Int|Float|Decimal)\w*(?:\(.*\))? cannot be safely converted into type/, 'a number is beyond the type that it is cast to; TRY_CAST answers null for such'], // prettier-ignore
  [/^Illegal (?:type|argument of type) (?:Nullable\()?Date(?:32)?\)? (?:of argument )?(?:of|for) function to(?:Hour|Minute|Second|Millisecond|Microsecond)\b/, 'a date has no hours: CAST(d AS TIMESTAMP) is its midnight'], // prettier-ignore
  [/^JOIN .* USING \(.*cannot infer common type for/, 'columns of USING have types that are not equal to each other: JOIN b ON a.x = b.y compares them'], // prettier-ignore
  [/^Invalid projection column with type Nothing/, 'an empty list has no type for its elements: CAST([] AS BIGINT[])'], // prettier-ignore
  [/^There is no supertype for types/, 'values of several types stand together: CAST them to one, as DOUBLE, DECIMAL(38, 10) or VARCHAR'], // prettier-ignore
  [/^(?:Illegal type|Data types) (?:Dynamic|Variant\b.*?) (?:of argument (?:of|for) (?:aggregate|function in\b)|are not allowed in)|^Nested type Dynamic cannot/, 'no schema tells the type of a value: CAST it, as in max(CAST(x AS VARCHAR)) or GROUP BY CAST(x AS BIGINT)'], // prettier-ignore
  [/^Illegal types String and String of arguments of function plus$/, 'texts are joined by ||; TRY_CAST(x AS DOUBLE) reads a number of one'], // prettier-ignore
  [/^(?!.*\b(?:Date|Time|Interval|Array|Map|Tuple|JSON|Dynamic|Variant))(?:Illegal types? .*\bString\b.* (?:for aggregate function (?:avg|sum|quantile|std|var|covar|corr|skew|kurt)|of function (?:plus|minus|multiply|divide|modulo|intDiv|negate|abs|sqrt|cbrt|exp|log|pow)\b)|A value of illegal type .* Expected: (?:A number|native numeric).*, got: String)/, 'a number is wanted where a text stands: TRY_CAST(x AS DOUBLE) reads a number of it, and is null where it is none'], // prettier-ignore
  [/^Function map(?:Keys|Values) requires at least one argument of type Map/, "objects and maps of a stream are JSON: json_keys(m) lists the keys, m.a and m['a'] are a value"], // prettier-ignore
  [/^Argument \d for function hasA(?:ll|ny) must be an array/, '@>, <@ and && are of lists: the fields of an object are compared one by one, j.a = 1 AND j.b = 2'], // prettier-ignore
  [/^First argument for function tupleElement must be/, 'a name or a number behind a point is of structs, rows and objects, and the value before the point is none of them'], // prettier-ignore
  [/^First argument for function 'arrayElement' must be array/, 'x[1] and x[1:2] are of lists: substring(s, 1, 2) cuts a text'], // prettier-ignore
  [/^array aggregation function cannot be performed on type Nullable/, 'the list may have nulls: list_sum(x), list_avg(x), list_min(x) and list_max(x) pass over them'], // prettier-ignore
  [/^Illegal type (?:Nullable\()?(?:U?Int|Float|Decimal|Bool)\S* of argument of function (?:not)?i?like\b/i, "LIKE is of texts: CAST(x AS VARCHAR) LIKE '5%', or x >= 500 AND x < 600"], // prettier-ignore
  [/^Illegal type (?:Nullable\()?Array\(.* of argument of function (?:not)?i?like\b/i, "LIKE is of texts: has(list, 'a') looks for an element, arrayExists(x -> x LIKE 'a%', list) for one that fits"], // prettier-ignore
  [/^Array does not start with '\[' character/, 'a list is compared with a text: has(list, x), or x = ANY(list), looks for an element'], // prettier-ignore
  [
    /^Storage \w+ doesn't support FINAL/,
    'FINAL is not read, and not needed: every row is there once',
  ],
  [/^Storage \S+ doesn't support sampling/, 'samples are not read: WHERE random() < 0.01'],
  [
    /^Map cannot have a key of type Nullable/,
    "the key of a map cannot be null: map(ifNull(k, ''), v)",
  ],
  [/^Illegal type DateTime64\(.* of first argument of aggregate function (?:windowFunnel|sequence|retention)/, 'the function takes whole seconds: windowFunnel(3600)(toDateTime(_timestamp), …)'], // prettier-ignore
  [/^Aggregate function quantile\w* requires single argument/, 'the level stands in brackets of its own, quantile(0.95)(x); approx_percentile(x, 0.95) and quantile_cont(x, 0.95) take it behind'], // prettier-ignore
  [/^Incompatible types of WITH FILL/, "bounds of WITH FILL have the type of the column: FROM toDateTime64('2026-01-01 00:00:00', 6, 'UTC') of a time, FROM toDate32('2026-01-01') of a day"], // prettier-ignore
  [/^Window frame 'GROUPS'/, 'frames of GROUPS are not read: RANGE BETWEEN 1 PRECEDING AND CURRENT ROW counts by the value of ORDER BY, ROWS by rows'], // prettier-ignore
  [/^Number of arguments for function minus doesn't match: passed 3/, "date_sub of a unit is not read: date_diff('day', a, b) counts the days begun between, age('day', a, b) the whole ones"], // prettier-ignore
];
const SEVERAL = /^Syntax error \(Multi-statements/;

const DETAIL_MAX = 600;
const QUOTA_SECONDS = 60;

/** @param text the statement as its author wrote it, for positions. */
export function toQueryFailure(error: unknown, text: string): unknown {
  if (error instanceof MillraceError) return error;
  if (isAbort(error)) return reasonOf(error);
  const failure = toWarehouseError(error);
  if (unreadablePart(failure)) return unreadable(error);
  if (failure instanceof PacedError) {
    const { message, retryAfterSeconds } = failure;
    return new MillraceError('TOO_MANY_REQUESTS', message, { retryAfterSeconds, cause: error });
  }
  if (OURS.has(failure.code)) return error;
  const kind = KINDS[failure.code] ?? 'INVALID_SQL';
  if (kind === 'INVALID_SQL' || kind === 'UNKNOWN_COLUMN') {
    const problem = firstWordProblem(text);
    if (problem) return problem;
  }
  const reason = readable(failure.message);
  const message =
    MESSAGES[kind] ??
    OF_NUMBER[failure.code]?.(reason) ??
    (kind === 'UNKNOWN_COLUMN' ? unknownColumn(failure.message, text) : undefined) ??
    withPosition(reason, failure.message, text);
  return new MillraceError(kind, message, {
    detail: `${failure.type}: ${reason}`.slice(0, DETAIL_MAX),
    ...(kind === 'TOO_MANY_REQUESTS' ? { retryAfterSeconds: QUOTA_SECONDS } : {}),
    cause: error,
  });
}

/** Work that was aborted with a reason of ours fails with it. */
function reasonOf(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  return cause instanceof MillraceError ? cause : error;
}

/** @param table whose part is damaged, if that is known */
export function unreadable(error: unknown, table?: string): MillraceError {
  const what = table === undefined ? 'a table' : `the table ${table}`;
  return new MillraceError(
    'TABLE_UNREADABLE',
    `${what} cannot be read: a part of it is damaged on the disk, and the server's log names it; an operator finds what to do in docs/operations.md, "Damaged parts"; other streams, and rows in other parts, are not affected`,
    { cause: error },
  );
}

/**
 * The engine's message without details about itself, our wrapping and the database's physical name.
 */
function readable(message: string): string {
  return (
    withoutPaths(message)
      .replace(/\/\* [0-9a-f-]{36} \*\/ /g, '')
      .replace(/(?:: ?| )In scope .*$/s, '')
      // The engine's suggestions of tables may belong to other organizations.
      .replace(/ ?Maybe you meant (?!:).*$/s, '')
      .replace(/^(?:Code: \d+\. )?(?:DB::Exception: )?/, '')
      .replace(/`?\b[os]_[0-9a-f]{32}`?\./g, '')
      .replace(/\b[os]_[0-9a-f]{32}\b/g, 'your organization')
      .replace(/\(version [^()]*(?:\([^()]*\))?\)/g, '')
      .replace(/: while executing 'FUNCTION .*$/s, '')
      .replace(/ Look at https:.*$/s, '')
      .replace(/While executing \w+\.?/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, DETAIL_MAX)
  );
}

/** Gives the unknown column in the engine's words, with the engine's suggestions. */
function unknownColumn(message: string, text: string): string | undefined {
  const name = /identifier [`'](.+?)[`'](?:[ .,:]|$)/is.exec(message)?.[1];
  if (name === undefined) return undefined;
  const near = /Maybe you meant: \['(.*?)'/s.exec(message)?.[1];
  const instead = foreignNotation(text);
  // Behind the brackets or within, the words are read, and do not say why a name is not known.
  if (instead !== undefined && instead !== PASSED_NULLS) return instead;
  const hint = near === undefined ? adviceOnName(name, text) : `; did you mean ${JSON.stringify(near)}?`; // prettier-ignore
  return `there is no column ${JSON.stringify(name)}${placeOf(name, text)}${hint}`;
}

function withPosition(reason: string, message: string, text: string): string {
  if (UNFIT_FOR_64_BITS.test(reason)) return TOO_LARGE;
  if (SEVERAL.test(message)) return 'send one statement: another one follows after ;';
  const position = /failed at position (\d+)/.exec(message)?.[1];
  if (position === undefined)
    return INSTEAD.find(([problem]) => problem.test(reason))?.[1] ?? reason;
  const before = Buffer.from(text)
    .subarray(0, Number(position) - 1)
    .toString('utf8');
  const near = /failed at position \d+ \((.*?)\)/s.exec(message)?.[1];
  const expected = /Expected (?:one of: )?(.*)$/s.exec(reason)?.[1];
  const instead =
    foreignNotation(text) ??
    adviceOnSyntax(reason, before, near) ??
    (expected === undefined ? '' : `expected ${expected.slice(0, 120)}`);
  const hint = instead === '' ? '' : `; ${instead}`;
  return `syntax error at ${lineAndColumn(before)}${near ? `, near ${JSON.stringify(near)}` : ''}${hint}`;
}
