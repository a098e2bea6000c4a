/**
 * A key for each person, with which everything personal about them is sealed. Events are never
 * rewritten; dropping somebody's key is what erases them.
 */
export abstract class PersonKeys {
  /**
   * Gives the key of 32 bytes to seal with, and makes it when the person has none. It is durable
   * when the promise resolves.
   */
  abstract create(personId: string): Promise<Uint8Array>;
  /**
   * Gives the keys that this process knows for a person; the first one is the key to seal with.
   * There are none when no key was ever made, or it was dropped. There are several only when two
   * processes made one at the same moment, and it is not known yet which one is in use.
   */
  abstract find(personId: string): readonly Uint8Array[];
  /**
   * Fetches keys that another process may have made, once events of the person exist to check them
   * by.
   * @param isTheirs whether a key opens sealed values of the person; other keys are dropped
   */
  abstract learn(personId: string, isTheirs: (key: Uint8Array) => boolean): Promise<void>;
  /** Drops the key. It is gone for good when this resolves. May be called again. */
  abstract drop(personId: string): Promise<void>;
  /** Wraps all keys with the current server key. @returns the number of people */
  abstract rewrap(): Promise<number>;
}
