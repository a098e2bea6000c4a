export { readConfig, type Config } from './config.js';
export { HealthController } from './health.controller.js';
export { closeOnSignal } from './shutdown.js';
