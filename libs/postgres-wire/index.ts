export { PostgresDoor } from './door.js';
export { PostgresListener } from './postgres-listener.js';
export { scramVerifier, type ScramVerifier } from './protocol/scram.js';
