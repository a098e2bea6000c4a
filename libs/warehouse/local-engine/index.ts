export { LocalEngineProcess } from './local-engine-process.js';
