import { certain, didYouMean } from '@app/platform';
import { refused } from './refused.js';
import type { SpelledStatement } from './spell-out.js';

const FLAG = /^[01]$/;

/**
 * The engine's settings that a statement may change, with the allowed values. They may change an
 * answer, but no limit, and not what a statement can reach.
 */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  aggregate_functions_null_for_empty: FLAG,
  any_join_distinct_right_table_keys: FLAG,
  cast_keep_nullable: FLAG,
  count_distinct_implementation: /^(?:uniq|uniqCombined|uniqCombined64|uniqHLL12|uniqExact)$/,
  date_time_input_format: /^(?:basic|best_effort|best_effort_us)$/,
  date_time_output_format: /^(?:simple|iso|unix_timestamp)$/,
  except_default_mode: /^(?:ALL|DISTINCT|)$/,
  group_by_use_nulls: FLAG,
  intersect_default_mode: /^(?:ALL|DISTINCT|)$/,
  join_algorithm:
    /^(?:default|auto|hash|parallel_hash|grace_hash|partial_merge|full_sorting_merge|direct)$/,
  join_default_strictness: /^(?:ALL|ANY|)$/,
  join_use_nulls: FLAG,
  max_threads: /^(?:[1-9]|1[0-6])$/,
  output_format_decimal_trailing_zeros: FLAG,
  output_format_json_named_tuples_as_objects: FLAG,
  output_format_json_quote_64bit_integers: FLAG,
  output_format_json_quote_denormals: FLAG,
  prefer_column_name_to_alias: FLAG,
  session_timezone: /^[A-Za-z0-9_+/-]{1,64}$/,
  totals_mode:
    /^(?:before_having|after_having_exclusive|after_having_inclusive|after_having_auto)$/,
  transform_null_in: FLAG,
  union_default_mode: /^(?:ALL|DISTINCT|)$/,
};

/**
 * Settings that other programs write down, without effect: what they bound is bounded here. The
 * server's own limit of time is shorter, or ends the query with an error as well.
 */
const WITHOUT_EFFECT: Readonly<Record<string, RegExp>> = {
  max_execution_time: /^(?=.*[1-9])\d{1,9}(?:\.\d{1,9})?$/,
};

/** Their names. */
export const ALLOWED_SETTINGS: readonly string[] = Object.keys(ALLOWED);

/** Values of settings by their names. */
export type Settings = Readonly<Record<string, string>>;

const ONE = /(\w+) = (?:'([^'\\]*)'|([\w.-]+))/;
const CLAUSE = new RegExp(` SETTINGS (${ONE.source}(?:, ${ONE.source})*)$`);

/**
 * Removes the SETTINGS clause from the end. A read-only session cannot change its settings, so a
 * new session is opened with them.
 * @throws {MillraceError} STATEMENT_REFUSED
 */
export function takeSettings(spelled: SpelledStatement): [SpelledStatement, Settings] {
  const last = spelled.pieces.at(-1);
  const clause = typeof last === 'string' ? CLAUSE.exec(last) : null;
  if (typeof last !== 'string' || !clause || !spelled.printable.endsWith(clause[0]))
    return [spelled, {}];
  const settings: Record<string, string> = {};
  const all = certain(clause[1], 'text of SETTINGS');
  for (const [, found, quoted, bare] of all.matchAll(new RegExp(ONE, 'g'))) {
    const name = certain(found, 'name of a setting');
    const value = quoted ?? flag(certain(bare, 'value of a setting'));
    if (WITHOUT_EFFECT[name]?.test(value) === true) continue;
    checkSetting(name, value);
    settings[name] = value;
  }
  const rest = {
    pieces: [...spelled.pieces.slice(0, -1), last.slice(0, clause.index)],
    printable: spelled.printable.slice(0, -clause[0].length),
  };
  return [rest, settings];
}

function flag(value: string): string {
  return value === 'true' ? '1' : value === 'false' ? '0' : value;
}

function checkSetting(name: string, value: string): void {
  const form = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (!form) {
    const why = `setting ${name} is not allowed${didYouMean(name, ALLOWED_SETTINGS)}; these are: ${ALLOWED_SETTINGS.join(', ')}`;
    throw refused('settings', why);
  }
  if (!form.test(value)) {
    const why = `setting ${name} cannot be ${JSON.stringify(value)}`;
    throw refused('settings', why);
  }
}
