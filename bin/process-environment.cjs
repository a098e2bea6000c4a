/**
 * Sets variables that must be there before a process starts. The engine's calls run on libuv's
 * pool: with its default of 4, long queries starve file work. The engine's allocator, which knows
 * no other name of its options, gives free memory back within a quarter of a second. By default it
 * would keep the memory of peaks for five seconds; to give it back at once would cost half as much
 * processor time again.
 */
module.exports = {
  UV_THREADPOOL_SIZE: '32',
  JE_MALLOC_CONF: 'dirty_decay_ms:250,muzzy_decay_ms:0',
};
