export { PersonKeys } from './person-keys.js';
export { seal, unseal } from './seal.js';
export { openServerKey, ServerKey } from './server-key.js';
