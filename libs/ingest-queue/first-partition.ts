/** The most partitions that a queue may have. */
export const PARTITIONS_MAX = 4096;

/**
 * A queue's partition numbers start at one of so many multiples of {@link PARTITIONS_MAX}. Rows
 * store partition and offset. A queue that is created anew counts its offsets from the beginning
 * again, so its partitions must have other numbers than before. The last numbers belong to no
 * queue: the warehouse uses them for a claim of its own.
 */
export const FIRST_PARTITIONS = 2 ** 32 / PARTITIONS_MAX - 1;
