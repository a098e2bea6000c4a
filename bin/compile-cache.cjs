const { join } = require('node:path');

/**
 * Where Node.js 22 and newer keeps what it has compiled of our programs, so that the next start
 * takes it from there. It lies in what was built, and whoever may not write there starts without it:
 * a folder that others can write to would let them run code of theirs.
 */
module.exports = join(module.path, '..', 'dist', '.compile-cache');
