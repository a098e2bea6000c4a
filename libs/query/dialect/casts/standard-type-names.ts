import { readEngineType } from '../../plan/engine-type.js';
import { knownType, OTHER, type Known } from './known-type.js';

/** Types for which the engine has another name, or only a narrower type. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(?:timestamptz|timestamp with time zone)$/i, "DateTime64(6, 'UTC')"],
  [/^timestamptz\((\d)\)$/i, "DateTime64($1, 'UTC')"],
  [/^timestamp(?: without time zone)?$/i, 'DateTime64(6)'],
  [/^timestamp_s$/i, 'DateTime64(0)'],
  [/^timestamp_ms$/i, 'DateTime64(3)'],
  [/^timestamp_ns$/i, 'DateTime64(9)'],
  [/^timestamp\((\d)\)$/i, 'DateTime64($1)'],
  // The engine's own `DateTime` has only whole seconds.
  [/^(?:datetime|DATETIME)$/, 'DateTime64(6)'],
  // The engine's own `Date` begins in 1970.
  [/^(?:date|DATE)$/, 'Date32'],
  [/^uuid$/i, 'UUID'],
  [/^time(?: without time zone)?$/i, 'Time64(6)'],
  [/^time\((\d)\)$/i, 'Time64($1)'],
  [/^int2$/i, 'Int16'],
  [/^int4$/i, 'Int32'],
  [/^(?:int8|INT8)$/, 'Int64'],
  [/^int(16|32|64|128)$/i, 'Int$1'],
  [/^(?:long|int64)$/i, 'Int64'],
  [/^short$/i, 'Int16'],
  [/^byteint$/i, 'Int8'],
  [/^float(32|64)$/i, 'Float$1'],
  [/^float\((?:[1-9]|1\d|2[0-4])\)$/i, 'Float32'],
  [/^float\(\d+\)$/i, 'Float64'],
  [/^float4$/i, 'Float32'],
  [/^float8$/i, 'Float64'],
  [/^hugeint$/i, 'Int128'],
  [/^utinyint$/i, 'UInt8'],
  [/^usmallint$/i, 'UInt16'],
  [/^uinteger$/i, 'UInt32'],
  [/^ubigint$/i, 'UInt64'],
  [/^uhugeint$/i, 'UInt128'],
  [/^(?:string|utf8|large_utf8|bpchar|binary)$/i, 'String'],
  [/^(?:numeric|decimal|number)$/i, 'Decimal(38, 10)'],
  [/^number\((.*)\)$/i, 'Decimal($1)'],
  [/^jsonb$/i, 'JSON'],
];

/** The names of types of text. As in the engine, a length changes nothing. */
export const TEXT_TYPE =
  /^(?:String|(?:LONG|MEDIUM|TINY)?TEXT|(?:VAR)?CHAR|CHARACTER(?: VARYING)?)(?:\(\d+\))?$/i;

/** The engine's name of a type that was written in CAST. */
export function engineType(type: string): string {
  for (const [form, name] of TYPES) if (form.test(type)) return type.replace(form, name);
  return type;
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:TINYINT|INT1) UNSIGNED$/i, 'UInt8'],
  [/^SMALLINT UNSIGNED$/i, 'UInt16'],
  [/^(?:INT|INTEGER|MEDIUMINT) UNSIGNED$/i, 'UInt32'],
  [/^BIGINT UNSIGNED$/i, 'UInt64'],
  [/^(?:TINYINT|INT1)$/i, 'Int8'],
  [/^SMALLINT$/i, 'Int16'],
  [/^(?:INT|INTEGER|MEDIUMINT)$/i, 'Int32'],
  [/^BIGINT$/i, 'Int64'],
  [/^(?:REAL|FLOAT|SINGLE)$/i, 'Float32'],
  [/^DOUBLE(?: PRECISION)?$/i, 'Float64'],
  [/^(?:DEC|DECIMAL|NUMERIC|FIXED)(?=\()/i, 'Decimal'],
  [TEXT_TYPE, 'String'],
];

/** Gives the type of a CAST by the type's name as it was written. */
export function castType(written: string): Known {
  const target = engineType(written);
  const [form, name] = NAMES.find(([pattern]) => pattern.test(target)) ?? [];
  const type = form ? target.replace(form, name ?? '') : target;
  // A type for which the engine has further names.
  return /^(?:[A-Z][a-z0-9]+|UInt\d+)/.test(readEngineType(type).name) ? knownType(type) : OTHER;
}
