export { SharedPersonKeys } from './shared-person-keys.js';
