/** Stands for a value that goes into its column as it was written. */
export const AS_IT_STANDS = '';

/**
 * Looks at a value for a column of one type.
 * @param from where it begins, behind its quote if it has one
 * @param to where it ends, before its quote
 * @param isText whether it is a text, which has no escapes then; else it is a number of JSON's grammar
 * @returns what is to be written of it, without quotes; {@link AS_IT_STANDS}; undefined where the column cannot have it
 */
export type ValueReader = (
  bytes: Buffer,
  from: number,
  to: number,
  isText: boolean,
) => string | undefined;
