/** SQL settings for durable parts: an insert that was answered is on the disk. */
export const DURABLE =
  'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0';
/**
 * An insert makes parts with all columns in one file; a merge makes others. The number of bytes is
 * no measure: objects with many different keys need many times as much memory as they have bytes.
 */
const WIDE_FROM = { bytes: 32 * 1024 * 1024, rows: 100_000 };
/**
 * The number of keys of objects that inserts and merges keep apart; the engine keeps the others
 * together.
 */
export const KEYS_APART = 256;
/** SQL settings for the form of a table's parts. */
export const COMPACT =
  `max_compress_block_size = 131072, min_bytes_for_wide_part = ${WIDE_FROM.bytes}, min_rows_for_wide_part = ${WIDE_FROM.rows},` +
  ` merge_max_dynamic_subcolumns_in_wide_part = ${KEYS_APART}, merge_max_dynamic_subcolumns_in_compact_part = ${KEYS_APART}, merge_with_ttl_timeout = 300`;
