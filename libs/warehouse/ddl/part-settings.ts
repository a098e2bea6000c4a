/** SQL: what a table's parts must survive: an insert that was answered is on the disk. */
export const DURABLE =
  'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0';
/**
 * An insert makes parts that have all columns in one file; a merge makes others. Bytes alone do not
 * tell: in memory, objects with many different keys have many times those they came with.
 */
const WIDE_FROM = { bytes: 32 * 1024 * 1024, rows: 100_000 };
/** Keys of objects that inserts and merges keep apart; the engine keeps the others together. */
export const KEYS_APART = 256;
/** SQL: more of the same, of how a table's parts are kept. */
export const COMPACT =
  `max_compress_block_size = 131072, min_bytes_for_wide_part = ${WIDE_FROM.bytes}, min_rows_for_wide_part = ${WIDE_FROM.rows},` +
  ` merge_max_dynamic_subcolumns_in_wide_part = ${KEYS_APART}, merge_max_dynamic_subcolumns_in_compact_part = ${KEYS_APART}, merge_with_ttl_timeout = 300`;
