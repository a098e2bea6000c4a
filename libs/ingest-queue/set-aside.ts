import type { QueuePosition } from './ingest-queue.js';

/**
 * This many of the offsets that came last are kept of a partition, not the greatest ones. A caller
 * that asks has waited for them until just now.
 */
const KEPT = 64;
const OFFSETS = /^\d+(?:,\d+)*$/;

/** Records that were committed without being written, as far back as a caller may ask. */
export class SetAside {
  /** Offsets by partition, as they came. */
  private readonly offsets = new Map<number, readonly bigint[]>();

  add(partition: number, offsets: readonly bigint[]): void {
    if (offsets.length === 0) return;
    const fresh = new Set(offsets);
    const before = (this.offsets.get(partition) ?? []).filter((offset) => !fresh.has(offset));
    this.offsets.set(partition, [...before, ...fresh].slice(-KEPT));
  }

  /** Tells whether there is one from `first` on, up to `last`. */
  has({ partition, offset: last }: QueuePosition, first: bigint): boolean {
    const offsets = this.offsets.get(partition) ?? [];
    return offsets.some((offset) => first <= offset && offset <= last);
  }

  /** The offsets of a partition as one line, for {@link read}; null when there are none. */
  text(partition: number): string | null {
    return this.offsets.get(partition)?.join(',') ?? null;
  }

  /** Any other text counts as no offsets. */
  read(partition: number, text: string | null): void {
    if (text !== null && OFFSETS.test(text)) this.add(partition, text.split(',').map(BigInt));
  }
}
