import { NO_MAC } from './event-mac.js';
import { RecentStreams } from './recent-streams.js';

/**
 * Tells whether events of ours follow on each other in their streams, while they are read in their order.
 * It knows the streams that it has seen last; of others it cannot tell.
 */
export class ChainCheck {
  /** The last MAC of each. */
  private readonly last: RecentStreams<string>;

  /**
   * @param isWhole whether nothing came before what it is shown
   * @param streamsMax how many it knows
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
