/**
 * What must be set before a process starts. The engine's calls run on libuv's pool: with its
 * default of 4, long queries starve file work. The engine's allocator, which knows no other name
 * of its options, gives back within a quarter of a second what is free: by itself it would keep
 * five seconds of peaks. At once would cost half as much processor time again.
 */
module.exports = {
  UV_THREADPOOL_SIZE: '32',
  JE_MALLOC_CONF: 'dirty_decay_ms:250,muzzy_decay_ms:0',
};
