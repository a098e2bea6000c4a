/**
 * Whether this process carries events out in what several processes share, such as tables. One of
 * them leads; the others wait until it has done so.
 */
export abstract class LeaderElection {
  /** As far as this process knows: who has lost the lead finds out when it next writes. */
  abstract readonly isLeading: boolean;
  /** Asks whether it still leads. */
  abstract confirm(): Promise<boolean>;
  /**
   * What a start leaves to the process that leads: done here once, just before this one takes the
   * lead, since nobody knows whether the other came to do it.
   * @param duty may come again until it succeeds
   */
  abstract whenTaken(duty: () => Promise<void>): void;
}
