export { readConfig, readConfigOfCommand, type Config } from './config.js';
