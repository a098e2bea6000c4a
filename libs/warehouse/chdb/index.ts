export { openChdb, type Chdb, type ChdbOptions } from './open-chdb.js';
