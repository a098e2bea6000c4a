export interface WrappedKey {
  readonly personId: string;
  /** Sealed with the server's key. */
  readonly wrapped: string;
}

/** Keys of people for all processes, in a table whose deleted rows leave no trace. */
export abstract class PersonKeyTable {
  /**
   * The keys of one person, or of all. A person has several if two processes made one at the same
   * moment.
   */
  abstract wrappedKeys(personId?: string): Promise<readonly WrappedKey[]>;
  /** Stores a key. It is durable, and visible to every process, when this resolves. */
  abstract addWrappedKey(key: WrappedKey): Promise<void>;
  /**
   * Deletes keys. They are gone for good when this resolves, except for parts that the engine
   * cleans up a moment later.
   * @param but the keys that stay
   */
  abstract dropWrappedKeys(personId: string, but?: readonly string[]): Promise<void>;
}
