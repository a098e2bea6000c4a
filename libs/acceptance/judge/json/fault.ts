/** The reason why a text is no record that can be stored. */
export type Fault =
  'malformed' | 'beyond 64 bits' | 'half a pair' | 'too deep to read' | 'named twice within';

/** Ends the reading of a record; {@link JsonScanner.fault} says why. One for all: to make one costs more than to read a record. */
export class FaultFound extends Error {}

export const FAULT_FOUND = new FaultFound('a record that cannot be stored');

/** The levels of arrays and objects that a record may have; it is the first one itself. */
export const NESTING_MAX = 100;
/**
 * A record deeper than this is refused without reading it to its end: the cost of leaving it grows
 * with its depth.
 */
export const READ_MAX = 400;
