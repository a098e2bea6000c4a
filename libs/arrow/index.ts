export { checkArrow, openArrow } from './arrow-file.js';
export type { Field, FieldType, SecondDigits } from './field.js';
export { FlatTable } from './flat-buffer.js';
