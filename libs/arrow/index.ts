export { checkArrow, openArrow } from './arrow-file.js';
export { fieldsWithin, type Field, type FieldType, type SecondDigits } from './field.js';
export { FlatTable } from './flat-buffer.js';
