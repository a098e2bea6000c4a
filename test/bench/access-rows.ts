/**
 * Rows like those of an access log: their columns in a Delta log and in a stream, and the SQL that
 * makes them.
 */
export const COLUMNS = [
  ['host', 'string', 'Nullable(String)', "concat('web-', toString(n % 40))"],
  ['method', 'string', 'Nullable(String)', "['GET','POST','PUT'][n % 3 + 1]"],
  ['path', 'string', 'Nullable(String)', "concat('/api/items/', toString(cityHash64(n) % 100000))"],
  ['status', 'long', 'Nullable(Int64)', 'toInt64(200 + n % 5 * 100)'],
  ['bytes', 'long', 'Nullable(Int64)', 'toInt64(cityHash64(n, 1) % 100000)'],
  ['duration', 'double', 'Nullable(Float64)', 'cityHash64(n, 2) % 1000000 / 1e6'],
  ['client_ip', 'string', 'Nullable(String)', 'IPv4NumToString(toUInt32(cityHash64(n, 3)))'],
  [
    'user_agent',
    'string',
    'Nullable(String)',
    "concat('Mozilla/5.0 (X11; Linux x86_64) Agent/', toString(n % 200))",
  ],
  ['cached', 'boolean', 'Nullable(Bool)', 'toBool(n % 7 = 0)'],
].map(([name = '', delta = '', type = '', made = '']) => ({ name, delta, type, made }));

const TIME = "fromUnixTimestamp64Milli(toInt64(1700000000000 + n), 'UTC')";

/** SELECT of so many of these rows, a time first. */
export const selectRows = (from: number, count: number): string =>
  `SELECT ${[`${TIME} AS _timestamp`, ...COLUMNS.map(({ name, made }) => `${made} AS ${name}`)].join(', ')}` +
  ` FROM (SELECT number AS n FROM numbers(${from}, ${count}))`;
