export { FlatTable } from './flat-buffer.js';
