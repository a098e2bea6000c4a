/**
 * A key for each person, with which everything personal about them is sealed. Events are never
 * rewritten; dropping somebody's key is what erases them.
 */
export abstract class PersonKeys {
  /** The key to seal with, made when there is none yet; durable when this resolves. 32 bytes. */
  abstract create(personId: string): Promise<Uint8Array>;
  /**
   * Gives the keys that this process knows for the texts of a person; the first one is the key to
   * seal with. There is none when there never was one, or it was dropped. There are several only
   * where two processes made one at the same moment and it is not settled yet which of them is in
   * use.
   */
  abstract find(personId: string): readonly Uint8Array[];
  /**
   * Finds what another process may have made, once somebody's events are there to tell by.
   * @param isTheirs whether a key opens what is theirs: others are dropped
   */
  abstract learn(personId: string, isTheirs: (key: Uint8Array) => boolean): Promise<void>;
  /** When this resolves the key is gone for good. May be repeated. */
  abstract drop(personId: string): Promise<void>;
  /** All keys are wrapped with the server's key of now when this resolves. @returns how many there are */
  abstract rewrap(): Promise<number>;
}
