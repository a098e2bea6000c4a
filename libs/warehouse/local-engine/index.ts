export { LocalEngineProcess, type LocalEngineOptions } from './local-engine-process.js';
