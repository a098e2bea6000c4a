/** Sizes in bytes. */
export interface Room {
  readonly maxBytes: number;
  /** All bytes that wait. */
  readonly waiting: number;
  /** The waiting bytes of this owner. */
  readonly own: number;
  /** The bytes that the owner wants to add. */
  readonly bytes: number;
}

/** Too many bytes wait in total, or of this owner. */
type NoRoom = 'full' | 'share';

/** A hundredth of the room, or less, counts as almost nothing. */
const FEW = 100;

/**
 * Shares limited room among owners that are not known in advance: an owner may have as many bytes
 * waiting as are left free afterwards. So one owner that floods the queue gets half of the room,
 * two get a third each, and there is always room for the next one. This needs no clock, no list of
 * owners, and no setting. An owner with almost nothing waiting may take all free room: an upload
 * larger than half must be possible at some time, also for an owner that always sends a little.
 * @returns the reason for a refusal; undefined if there is room.
 */
export function whyNoRoom({ maxBytes, waiting, own, bytes }: Room): NoRoom | undefined {
  const free = maxBytes - waiting - bytes;
  if (free < 0) return 'full';
  return own * FEW >= maxBytes && own + bytes > free ? 'share' : undefined;
}
