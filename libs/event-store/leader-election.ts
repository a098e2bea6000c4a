/**
 * Tells whether this process carries events out in what several processes share, such as tables. One of
 * them leads; the others wait until it has done so.
 */
export abstract class LeaderElection {
  /**
   * Tells whether this process leads, as far as it knows. A process that has lost the lead finds
   * out when it next writes.
   */
  abstract readonly isLeading: boolean;
  /** Asks whether it still leads. */
  abstract confirm(): Promise<boolean>;
  /**
   * Takes a duty that a start leaves to the leading process. It is done here once, just before this
   * process takes the lead, since nobody knows whether the other one came to do it.
   * @param duty may come again until it succeeds
   */
  abstract whenTaken(duty: () => Promise<void>): void;
}
