/** Words that the engine reads as a value, or as an operator. */
const VALUES = /^(?:true|false|not|inf|infinity|nan)$/i;
/** Words that begin another construct at some place, such as `SELECT TOP 5`. */
const BEGINNINGS = /^(?:top|as|on|strict|cube|rollup)$/i;

/**
 * The engine prints these names without their quotes, and reads the print as something else: `nan`
 * as a number. So an expression with such a column, as in an index, would be stored as another one.
 */
export const isPrintedAsValue = (name: string): boolean => VALUES.test(name);

/** Tells whether the engine's print of this name may be read as something else. */
export const losesQuotes = (name: string): boolean => VALUES.test(name) || BEGINNINGS.test(name);
