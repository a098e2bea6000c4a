export { openEngine, type EngineWarehouse } from './open-engine.js';
export type { EngineBackups } from './engine-files.js';
export type { EngineEvent } from './running-engine.js';
