/** Tells how many bytes may be held in memory by all those together that ask here first. */
export class MemoryAllowance {
  constructor(private left: number) {}

  /**
   * @param instead bytes that were taken before, and are given back when this succeeds
   * @returns whether there was enough left
   */
  take(bytes: number, instead = 0): boolean {
    if (bytes > this.left + instead) return false;
    this.left += instead - bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.left += bytes;
  }
}
