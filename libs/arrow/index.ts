export { checkArrow, openArrow } from './arrow-file.js';
export { byteFields } from './byte-fields.js';
export { fieldsWithin, type Field, type FieldType, type SecondDigits } from './field.js';
export { FlatTable } from './flat-buffer.js';
