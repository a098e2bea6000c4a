export { EmbeddedPersonKeys } from './embedded-person-keys.js';
