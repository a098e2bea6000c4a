/** The reason why a text is no record that can be stored. */
export type Fault =
  'malformed' | 'beyond 64 bits' | 'half a pair' | 'too deep to read' | 'named twice within';

/**
 * Ends the reading of a record; {@link JsonScanner.fault} says why. There is one instance for all,
 * because creating one costs more than reading a record.
 */
export class FaultFound extends Error {}

export const FAULT_FOUND = new FaultFound('a record that cannot be stored');

/**
 * The levels of arrays and objects that a record may have. The record itself is the first level.
 */
export const NESTING_MAX = 100;
/**
 * A record deeper than this is refused before its end is read, because leaving it costs more the
 * deeper it is.
 */
export const READ_MAX = 400;
