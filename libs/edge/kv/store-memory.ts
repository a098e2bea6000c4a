import { getHeapStatistics } from 'node:v8';

/** Of what the process may have for its texts and objects. */
const SHARE = 1 / 8;

/**
 * How many bytes of keys and values may be held in the process. While a store is read again its old
 * values are there besides, so it may be twice as much for a moment.
 */
export class StoreMemory {
  private left: number;

  constructor(bytes = Math.floor(getHeapStatistics().heap_size_limit * SHARE)) {
    this.left = bytes;
  }

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
