export { PersonKeys } from './person-keys.js';
export { seal, unseal } from './seal.js';
export { keptSecret, openServerKey, ServerKey } from './server-key.js';
