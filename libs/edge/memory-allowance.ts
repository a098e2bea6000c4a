/** Limits the bytes in memory of all components that ask here first. */
export class MemoryAllowance {
  constructor(private left: number) {}

  /**
   * @param instead bytes that were taken earlier, and are given back if this succeeds
   * @returns whether enough was left
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
