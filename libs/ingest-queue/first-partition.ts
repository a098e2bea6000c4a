/** Partitions that a queue may have. */
export const PARTITIONS_MAX = 4096;

/**
 * Tells how many multiples of {@link PARTITIONS_MAX} there are for a queue's partitions to begin with.
 * Rows carry partition and offset; a queue that is made anew counts its offsets from the beginning
 * again, so its partitions must not be called as those before. The last ones are no queue's: the
 * warehouse has a claim of its own there.
 */
export const FIRST_PARTITIONS = 2 ** 32 / PARTITIONS_MAX - 1;
