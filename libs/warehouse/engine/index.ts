export { openEngine, type EngineWarehouse } from './open-engine.js';
export type { EngineBackups } from './server-configuration.js';
