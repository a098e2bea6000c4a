export { footerOf, notParquet } from './footer.js';
export { NULL_ROWS, nullObjects, NullsAllowance, tellingColumns } from './null-objects.js';
export { nullableObjects, type NullableObject } from './nullable-objects.js';
