export { Engine, type EngineOptions } from './engine.js';
