/**
 * A key for each person, with which everything personal about them is sealed. Events are never
 * rewritten; dropping somebody's key is what erases them.
 */
export abstract class PersonKeys {
  /** The person's key, made when there is none yet; on disk when this returns. 32 bytes. */
  abstract create(personId: string): Uint8Array;
  /** Undefined when there never was one, or it was dropped. */
  abstract find(personId: string): Uint8Array | undefined;
  /** When this returns the key is gone for good. May be repeated. */
  abstract drop(personId: string): void;
}
