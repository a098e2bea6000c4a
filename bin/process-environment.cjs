/**
 * What must be set before a process starts. The engine's calls run on libuv's pool: with its
 * default of 4, long queries starve file work. Its allocator gives memory back at once instead of
 * keeping it for later.
 */
module.exports = {
  UV_THREADPOOL_SIZE: '32',
  MALLOC_CONF: 'dirty_decay_ms:0,muzzy_decay_ms:0,narenas:2',
};
