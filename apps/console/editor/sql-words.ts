import { SQLDialect } from '@codemirror/lang-sql';

/** The editor colours these words of the engine's SELECT. */
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
