import { FUNCTION_NAMES } from './function-names.js';

/** The names are in lower case. */
export const KNOWN_FUNCTIONS: readonly string[] = FUNCTION_NAMES.trim().split(/\s+/);
const ALLOWED = new Set(KNOWN_FUNCTIONS);

/** Suffixes that turn an aggregate function into another: `sumIf`, `quantileArrayOrNull`. */
const COMBINATOR =
  /(?:if|array|map|distinct|ornull|ordefault|foreach|resample|argmin|argmax|simplestate|state|merge|mergestate)$/;

/** Tells whether a statement may call it. Names compare without case, as the engine does for many. */
export function isAllowedFunction(name: string): boolean {
  let candidate = name.toLowerCase();
  for (;;) {
    if (ALLOWED.has(candidate)) return true;
    const shorter = candidate.replace(COMBINATOR, '');
    if (shorter === candidate || shorter === '') return false;
    candidate = shorter;
  }
}

/** Table functions that read only their arguments. */
export const ALLOWED_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'numbers',
  'numbers_mt',
  'zeros',
  'zeros_mt',
  'generate_series',
  'generateSeries',
  'values',
]);
