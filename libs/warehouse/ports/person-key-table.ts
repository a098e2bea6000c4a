export interface WrappedKey {
  readonly personId: string;
  /** Sealed with the server's key. */
  readonly wrapped: string;
}

/** Keys of people for all processes, in a table that forgets: what is dropped is nowhere in it. */
export abstract class PersonKeyTable {
  /** The keys of one person, or of all; several for one where two processes made one at the same moment. */
  abstract wrappedKeys(personId?: string): Promise<readonly WrappedKey[]>;
  /** Durable, and seen by every process, when it resolves. */
  abstract addWrappedKey(key: WrappedKey): Promise<void>;
  /**
   * Gone for good when it resolves, but for parts that the engine cleans up a moment later.
   * @param but the one of theirs that stays
   */
  abstract dropWrappedKeys(personId: string, but?: string): Promise<void>;
}
