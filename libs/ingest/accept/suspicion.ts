import { quoteText, type Column } from '@app/warehouse';
import { canNest, mayBeTooDeep } from './nesting.sql.js';

/**
 * The engine's typed JSON reader, told to be strict, still lets a few things pass: quoted text as
 * a number (`""` becomes 0), integers beyond 64 bits (they wrap), integers beyond 2⁵³ as floats
 * (they round), 0 and 1 as booleans. These patterns find every line that might hold one of them,
 * by the raw text; what they find is then judged value by value. They may find too much, never
 * too little: that holds for field names that JSON can spell in one way only (save `\u00XX`,
 * which has a pattern of its own).
 */
export function suspicionPatterns(columns: readonly Column[]): readonly string[] | undefined {
  const groups = new Map<string, string[]>();
  for (const { name, type } of columns) {
    const pattern = PATTERN_OF_TYPE[type];
    if (pattern === undefined) continue;
    if (!SPELLED_ONE_WAY.test(name)) return undefined;
    for (const part of pattern) groups.set(part, [...(groups.get(part) ?? []), escapeRegex(name)]);
  }
  return [
    ESCAPED_FIELD_NAME,
    ...[...groups].map(([value, names]) => `"(${names.join('|')})"\\s*:\\s*${value}`),
  ];
}

/** SQL that is true for a line that needs judging. */
export function suspicious(
  line: string,
  patterns: readonly string[],
  columns: readonly Column[],
): string {
  const tests = [
    `substring(${line}, 1, 1) != '{'`,
    `NOT isValidJSON(${line})`,
    // What is nested fits into no other column.
    ...(canNest(columns) ? [mayBeTooDeep(line)] : []),
    `multiMatchAny(${line}, [${patterns.map(quoteText).join(', ')}])`,
  ];
  return `(${tests.join(' OR ')})`;
}

/** Names that JSON can spell in one way only, save for {@link ESCAPED_FIELD_NAME}. */
export const SPELLED_ONE_WAY = /^[A-Za-z0-9_.@ -]+$/;
export const ESCAPED_FIELD_NAME = '\\\\u00[2-7][0-9a-fA-F][^"\\\\]*"\\s*:';

const NOT_A_NUMBER = '["tf]';
const NINETEEN_DIGITS = '-?[0-9]{19}';
const BEYOND_EXACT_FLOAT = '-?[0-9]{16,}\\s*[,}]';
const NOT_A_BOOLEAN = '["01]';
const within = (element: string): string => `\\[[^\\]]*${element}`;

const PATTERN_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  'Nullable(Int64)': [NOT_A_NUMBER, NINETEEN_DIGITS],
  'Nullable(UInt64)': [NOT_A_NUMBER, NINETEEN_DIGITS],
  'Nullable(Float64)': [NOT_A_NUMBER, BEYOND_EXACT_FLOAT],
  'Nullable(Bool)': [NOT_A_BOOLEAN],
  'Array(Nullable(Int64))': [within(NOT_A_NUMBER), within('[0-9]{19}')],
  'Array(Nullable(UInt64))': [within(NOT_A_NUMBER), within('[0-9]{19}')],
  'Array(Nullable(Float64))': [within(NOT_A_NUMBER), within('[0-9]{16}')],
  'Array(Nullable(Bool))': [within(NOT_A_BOOLEAN)],
};

export function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
}
