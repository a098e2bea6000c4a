/** Lines of NDJSON to be uploaded, as many as are asked for. */
export interface Shape {
  /** Field that tells records apart, or most of them; of text or numbers. */
  readonly key: string;
  /** SQL of a record's time where its fields have one, as the engine alone reads it. */
  readonly time?: string;
  /** The record of this number, from 0, the same whenever it is asked for. */
  line(number: number): string;
  /** Tells whether that one does not fit the stream's columns, which the others made. */
  isRejected(number: number): boolean;
}

/** A shape that costs something to have, or cannot be had: it is asked for when its turn comes. */
export interface NamedShape {
  readonly name: string;
  open(): Promise<Shape | undefined>;
}
