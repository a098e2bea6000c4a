export { positive, wholeNumber } from './whole-number.js';
