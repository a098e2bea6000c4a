const { join } = require('node:path');

/**
 * Node.js 22 and newer keep compiled code of our programs here, so that the next start takes it
 * from there. The folder lies in the build. A user who may not write there starts without it,
 * because in a folder that everybody can write to, others could leave code for us to run.
 */
module.exports = join(module.path, '..', 'dist', '.compile-cache');
