/** Tells how following goes. */
export interface FollowState {
  /** Tells whether there is anything to answer from: the hosted side has been read once, now or before. */
  readonly isReady: boolean;
  readonly streams: number;
  /** Streams that cannot be served: a table here has their name, or none can have it. */
  readonly passedOver: readonly string[];
  /**
   * Seconds since all streams were as on the hosted side. It is undefined when they have not been
   * since the start.
   */
  readonly ageSeconds: number | undefined;
  /** Rounds that failed, since the start. */
  readonly failures: number;
  /** The error of the last round; undefined: it went well. */
  readonly lastError: string | undefined;
}
