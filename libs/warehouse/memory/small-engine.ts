/**
 * The embedded engine's settings in its own notation, wherever it runs: caches and background
 * threads sized for a small machine. Merges have the lowest priority, because nobody waits for
 * them. A stream of any size may be dropped, because its owner has decided so. Free memory goes
 * back to the system after a quarter of a second (`GIVE_BACK`), and not at once: five seconds after
 * its start the engine would take itself for short of memory, give each block back, and use three
 * times the processor time for what it computes. It compares what it has allocated with what the
 * system says as often, and not each 50 ms, which was half of what an idle engine costs.
 */
export const SMALL_ENGINE = `<memory_worker_period_ms>250</memory_worker_period_ms>
  <memory_worker_decay_adjustment_period_ms>0</memory_worker_decay_adjustment_period_ms>
  <mark_cache_size>67108864</mark_cache_size>
  <index_mark_cache_size>16777216</index_mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <max_table_size_to_drop>0</max_table_size_to_drop>
  <max_partition_size_to_drop>0</max_partition_size_to_drop>
  <database_atomic_delay_before_drop_table_sec>1</database_atomic_delay_before_drop_table_sec>
  <background_pool_size>2</background_pool_size>
  <background_schedule_pool_size>4</background_schedule_pool_size>
  <backup_threads>2</backup_threads>
  <restore_threads>2</restore_threads>
  <os_threads_nice_value_merge_mutate>15</os_threads_nice_value_merge_mutate>`;
