export { FlatTable, type FlatVector } from './flat-buffer.js';
