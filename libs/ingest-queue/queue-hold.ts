/** A hold on the queue: while it lasts, records that are done stay in its files. */
export interface QueueHold {
  /**
   * Copies the queue as it is at a moment of this call into an empty folder, with all records that
   * were not done when the hold began; there they are to be done, whatever has become of them since.
   * @throws when more was done meanwhile than the queue may hold
   */
  copyTo(directory: string): Promise<void>;
  /** May be called again. */
  release(): Promise<void>;
}

/** A queue whose files can be copied while it works. */
export interface HoldableQueue {
  /** One at a time. */
  hold(): Promise<QueueHold>;
}
