/** People ask for these functions most, so they are offered before the others. */
export const FREQUENT_FUNCTIONS: readonly string[] = (
  'count sum avg min max any uniq uniqExact quantile quantiles median stddevPop stddevSamp varPop ' +
  'argMin argMax groupArray groupUniqArray topK countIf sumIf avgIf minIf maxIf uniqIf corr ' +
  'toStartOfMinute toStartOfFiveMinutes toStartOfHour toStartOfDay toStartOfWeek toStartOfMonth ' +
  'toStartOfInterval toDate toDateTime toDateTime64 toUnixTimestamp now today yesterday dateDiff ' +
  'formatDateTime toHour toDayOfWeek toYear toMonth toString toInt64 toFloat64 toDecimal64 ' +
  'lower upper length substring position replaceAll replaceRegexpAll extract match splitByChar ' +
  'concat trim startsWith endsWith arrayJoin arrayMap arrayFilter arrayElement has hasAny ' +
  'if multiIf coalesce ifNull nullIf round floor ceil abs greatest least rand row_number rank ' +
  'dense_rank lagInFrame leadInFrame JSONExtractString'
).split(' ');
