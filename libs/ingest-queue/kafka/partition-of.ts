import { createHash } from 'node:crypto';

/**
 * The result must be the same on every node and for ever, because records with one key keep their
 * order.
 */
export function partitionOf(key: string, partitions: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0) % partitions;
}
