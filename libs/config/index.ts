export { readConfig, type Config } from './config.js';
