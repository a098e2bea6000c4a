import { SQLDialect } from '@codemirror/lang-sql';

/** What a SELECT of the engine is made of, as far as an editor colours it. */
export const DIALECT = SQLDialect.define({
  keywords:
    'select distinct from where prewhere group by having order limit offset with as and or not in ' +
    'between like ilike is null join left right full inner outer cross asof any all on using union ' +
    'intersect except case when then else end asc desc nulls first last interval array final sample ' +
    'settings format over partition window rows range unbounded preceding following current row ' +
    'global qualify totals rollup cube grouping sets fill step explain true false cast exists',
  types:
    'Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 Decimal String Date Date32 ' +
    'DateTime DateTime64 Bool UUID Array Tuple Map Nullable JSON LowCardinality',
  identifierQuotes: '`"',
  doubleDollarQuotedStrings: false,
  caseInsensitiveIdentifiers: false,
});

/** Those that people ask for most; all others work too. */
export const FUNCTIONS: readonly string[] = (
  'count sum avg min max any uniq uniqExact quantile quantiles median stddevPop stddevSamp varPop ' +
  'argMin argMax groupArray groupUniqArray topK countIf sumIf avgIf minIf maxIf uniqIf corr ' +
  'toStartOfMinute toStartOfFiveMinutes toStartOfHour toStartOfDay toStartOfWeek toStartOfMonth ' +
  'toStartOfInterval toDate toDateTime toDateTime64 toUnixTimestamp now today yesterday dateDiff ' +
  'formatDateTime toHour toDayOfWeek toYear toMonth toString toInt64 toFloat64 toDecimal64 ' +
  'lower upper length substring position replaceAll replaceRegexpAll extract match splitByChar ' +
  'concat trim startsWith endsWith arrayJoin arrayMap arrayFilter arrayElement has hasAny ' +
  'if multiIf coalesce ifNull nullIf round floor ceil abs greatest least rand row_number rank ' +
  'dense_rank lagInFrame leadInFrame JSONExtractString match_all histogram'
).split(' ');
