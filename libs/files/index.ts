export { checkLmdbFile } from './lmdb-file.js';
export { keepPrivate, makePrivately } from './keep-private.js';
export { nodeId } from './node-id.js';
export { unlessGone } from './unless-gone.js';
export { syncPath, syncPathSync, writeDurably, writeDurablySync } from './write-durably.js';
