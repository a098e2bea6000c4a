import { NO_MAC } from './event-mac.js';
import { RecentStreams } from './recent-streams.js';

/**
 * Tells whether our events follow each other without a gap in their streams, while they are read in
 * order. It remembers the streams that it has seen last, and can judge only those.
 */
export class ChainCheck {
  /** The last MAC of each stream. */
  private readonly last: RecentStreams<string>;

  /**
   * @param isWhole whether the first event that it gets is the first of all
   * @param streamsMax how many streams it remembers
   */
  constructor(
    private isWhole: boolean,
    streamsMax: number,
  ) {
    this.last = new RecentStreams(streamsMax);
  }

  /**
   * @param previousMac undefined: of an event from before there were MACs
   * @returns false where an event of ours is missing before this one
   */
  follows(stream: string, previousMac: string | undefined, mac: string): boolean {
    const last = this.last.get(stream) ?? (this.isWhole ? NO_MAC : undefined);
    if (this.last.set(stream, mac)) this.isWhole = false;
    return last === undefined || previousMac === undefined || previousMac === last;
  }
}
