/** Types that the engine has by another name, or does not have whole. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(?:timestamptz|timestamp with time zone)$/i, "DateTime64(6, 'UTC')"],
  [/^timestamptz\((\d)\)$/i, "DateTime64($1, 'UTC')"],
  [/^timestamp(?: without time zone)?$/i, 'DateTime64(6)'],
  [/^timestamp_s$/i, 'DateTime64(0)'],
  [/^timestamp_ms$/i, 'DateTime64(3)'],
  [/^timestamp_ns$/i, 'DateTime64(9)'],
  [/^timestamp\((\d)\)$/i, 'DateTime64($1)'],
  // The engine's own `Date` begins in 1970.
  [/^(?:date|DATE)$/, 'Date32'],
  [/^uuid$/i, 'UUID'],
  [/^time(?: without time zone)?$/i, 'Time64(6)'],
  [/^int2$/, 'Int16'],
  [/^int4$/, 'Int32'],
  [/^int8$/, 'Int64'],
  [/^float4$/, 'Float32'],
  [/^float8$/, 'Float64'],
  [/^hugeint$/i, 'Int128'],
  [/^utinyint$/i, 'UInt8'],
  [/^usmallint$/i, 'UInt16'],
  [/^uinteger$/i, 'UInt32'],
  [/^ubigint$/i, 'UInt64'],
  [/^uhugeint$/i, 'UInt128'],
  [/^(?:string|utf8|large_utf8)$/i, 'String'],
  [/^(?:numeric|decimal)$/i, 'Decimal(38, 10)'],
];

/** The engine's name of a type as it was written in CAST. */
export function engineType(type: string): string {
  for (const [form, name] of TYPES) if (form.test(type)) return type.replace(form, name);
  return type;
}
