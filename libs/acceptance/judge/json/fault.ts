/** Why a text is no record that can be stored. */
export type Fault =
  'malformed' | 'beyond 64 bits' | 'half a pair' | 'too deep to read' | 'named twice within';

/** Ends the reading of a record; {@link JsonScanner.fault} says why. One for all: to make one costs more than to read a record. */
export class FaultFound extends Error {}
