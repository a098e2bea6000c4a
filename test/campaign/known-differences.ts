/** Of files whose names match, what differs from DuckDB's reading, and why that is so. */
export const KNOWN_DIFFERENCES: readonly (readonly [
  file: RegExp,
  difference: RegExp,
  why: string,
])[] = [];
