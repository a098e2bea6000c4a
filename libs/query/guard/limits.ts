/** Longest statement taken, in bytes. */
export const STATEMENT_BYTES_MAX = 256 * 1024;
/** Verdicts kept. */
export const VERDICTS_MAX = 1000;
