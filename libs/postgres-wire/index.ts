export { PostgresDoor } from './postgres-door.js';
export { PostgresListener } from './postgres-listener.js';
export { scramVerifier, type ScramVerifier } from './protocol/scram.js';
