/** Longest statement taken, in bytes. */
export const STATEMENT_BYTES_MAX = 256 * 1024;
/**
 * The number of SELECTs in a statement: the engine needs a second to find that there are thousands.
 */
export const SELECTS_MAX = 500;
/** The number of cached verdicts. */
export const VERDICTS_MAX = 2000;
/** The characters of all statements with cached verdicts. */
export const VERDICT_TEXT_MAX = 4 * 1024 * 1024;
/**
 * The number of time zones that statements have named since the start: the engine keeps 4.7 MB for
 * each.
 */
export const ZONES_MAX = 64;
/** The number of these that one organization may be the first to name. */
export const ZONES_PER_ORGANIZATION_MAX = 16;
