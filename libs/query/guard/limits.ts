/** Longest statement taken, in bytes. */
export const STATEMENT_BYTES_MAX = 256 * 1024;
/** SELECTs that a statement may have: the engine takes a second to find that thousands are too many. */
export const SELECTS_MAX = 500;
/** Verdicts kept. */
export const VERDICTS_MAX = 2000;
/** Characters of all statements whose verdicts are kept. */
export const VERDICT_TEXT_MAX = 4 * 1024 * 1024;
/** Time zones that statements have named since the start: the engine keeps 4.7 MB for each. */
export const ZONES_MAX = 64;
/** One organization may be the first to name so many of these. */
export const ZONES_PER_ORGANIZATION_MAX = 16;
