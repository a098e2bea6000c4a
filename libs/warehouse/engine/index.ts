export { openEngine, type EngineWarehouse, type EngineWarehouseOptions } from './open-engine.js';
export type { Walls } from './engine-child.js';
export type { EngineBackups } from './engine-files.js';
export type { EngineEvent } from './running-engine.js';
