export { PersonKeys } from './person-keys.js';
export { seal, unseal } from './seal.js';
export {
  dropNextSecret,
  type FormerKey,
  isSameSecret,
  keptSecret,
  nextSecret,
  openServerKey,
  readSecret,
  ServerKey,
  takeNextSecret,
} from './server-key.js';
