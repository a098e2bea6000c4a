import { NO_MAC } from './event-mac.js';

/**
 * Whether events of ours follow on each other in their streams, while they are read in their order.
 * It knows the streams that it has seen last; of others it cannot tell.
 */
export class ChainCheck {
  /** The last MAC of each. The least recently seen first. */
  private readonly last = new Map<string, string>();

  /**
   * @param isWhole whether nothing came before what it is shown
   * @param streamsMax how many it knows
   */
  constructor(
    private isWhole: boolean,
    private readonly streamsMax: number,
  ) {}

  /**
   * @param previousMac undefined: of an event from before there were MACs
   * @returns false where an event of ours is missing before this one
   */
  follows(stream: string, previousMac: string | undefined, mac: string): boolean {
    const last = this.last.get(stream) ?? (this.isWhole ? NO_MAC : undefined);
    this.last.delete(stream);
    this.last.set(stream, mac);
    if (this.last.size > this.streamsMax) this.forgetOldest();
    return last === undefined || previousMac === undefined || previousMac === last;
  }

  private forgetOldest(): void {
    for (const oldest of this.last.keys()) {
      this.last.delete(oldest);
      this.isWhole = false;
      return;
    }
  }
}
