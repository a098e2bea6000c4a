import { certain } from '@app/platform';
import type { RejectedRecords, Rejection } from './chunk.js';
import { STRUCTURAL } from '../judge/refusals/structural.js';

/** Every rejection of a chunk, by line. */
export function rejectionsOf({ first, rejections }: RejectedRecords): Rejection[] {
  if (!rejections) return [];
  const { lines, reasonOf, reasons } = rejections;
  const reasonAt = (index: number): string =>
    certain(reasons[certain(reasonOf[index], 'rejection')], 'reason of a rejection');
  return Array.from(lines, (line, index) => ({
    line,
    // The first one is explained in more detail.
    reason: plainReason(index === 0 ? first.reason : reasonAt(index)),
  }));
}

/** A reason in the words that clients get. */
export const plainReason = (reason: string): string =>
  reason.startsWith(STRUCTURAL) ? reason.slice(STRUCTURAL.length) : reason;
