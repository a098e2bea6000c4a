/** Reports the progress of following. */
export interface FollowState {
  /**
   * Tells whether there is something to answer from: the hosted side has been read once, now or
   * before.
   */
  readonly isReady: boolean;
  readonly streams: number;
  /**
   * Streams that cannot be served, because a table here has their name, or because no table can
   * have it.
   */
  readonly passedOver: readonly string[];
  /**
   * The seconds since all streams were equal to the hosted side. It is undefined if they have not
   * been since the start.
   */
  readonly ageSeconds: number | undefined;
  /** The number of rounds that failed since the start. */
  readonly failures: number;
  /** The error of the last round; undefined: it succeeded. */
  readonly lastError: string | undefined;
}
