/** Limits the bytes in memory of all components that ask here first. */
export class MemoryAllowance {
  constructor(private bytes: number) {}

  /** The bytes that can be taken now. */
  get left(): number {
    return this.bytes;
  }

  /**
   * @param instead bytes that were taken earlier, and are given back if this succeeds
   * @returns whether enough was left
   */
  take(bytes: number, instead = 0): boolean {
    if (bytes > this.bytes + instead) return false;
    this.bytes += instead - bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.bytes += bytes;
  }
}
