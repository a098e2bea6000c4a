export { openChdb, type Chdb, type ChdbOptions } from './open-chdb.js';
export { Engine, type EngineOptions } from './engine.js';
