import { createHash } from 'node:crypto';

/** The same on every node and for all time: what has one key keeps its order. */
export function partitionOf(key: string, partitions: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0) % partitions;
}
