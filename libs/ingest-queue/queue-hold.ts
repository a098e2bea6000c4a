/** A hold on the queue: while it lasts, records that are done stay in its files. */
export interface QueueHold {
  /**
   * Copies the queue as it is at one moment of this call into an empty folder. The copy has all
   * records that were not done when the hold began, as not done, whatever has happened to them
   * since.
   * @throws when more records became done meanwhile than the queue may hold
   */
  copyTo(directory: string): Promise<void>;
  /** May be called again. */
  release(): Promise<void>;
}

/** A queue whose files can be copied while it works. */
export interface HoldableQueue {
  /** Only one hold exists at a time. */
  hold(): Promise<QueueHold>;
}
