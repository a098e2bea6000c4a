/** Sizes in bytes. */
export interface Room {
  readonly maxBytes: number;
  /** All that waits. */
  readonly waiting: number;
  /** The bytes of it that one owner has waiting. */
  readonly own: number;
  /** The bytes that it wants to add. */
  readonly bytes: number;
}

/** There is too much in all, or of this owner. */
type NoRoom = 'full' | 'share';

/** A hundredth of the place, or less, is next to nothing. */
const FEW = 100;

/**
 * Shares a bounded place out without knowing who will come: an owner may have as much waiting as is
 * left free after it. So one that floods ends at half of the place, two at a third each, and there
 * is always room for the next one. This needs no clock, no list of owners, and no setting. An owner
 * with almost nothing waiting may take all that is free: an upload larger than half must be
 * possible at some time, also for an owner that sends a little all the time.
 * @returns why there is no room; undefined when there is.
 */
export function whyNoRoom({ maxBytes, waiting, own, bytes }: Room): NoRoom | undefined {
  const free = maxBytes - waiting - bytes;
  if (free < 0) return 'full';
  return own * FEW >= maxBytes && own + bytes > free ? 'share' : undefined;
}
