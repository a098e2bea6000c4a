import { readEngineType } from '../../plan/engine-type.js';
import { knownType, OTHER, type Known } from './known-type.js';
import { engineType, TEXT_TYPE } from './standard-type-names.js';

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
