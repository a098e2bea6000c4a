export { BrokenFileError } from './broken-file-error.js';
export { byteColumns, type ByteLeaf } from './schema/byte-columns.js';
export { fileStructure, writeTimeOfDay, writeZoneless } from './file-structures.js';
export type { BytesRange, WrittenElement } from './file-structures.js';
export { footerOf, notParquet, type Footer } from './footer.js';
export { NULL_ROWS, nullObjects, NullsAllowance, tellingColumns } from './null-objects.js';
export { unzstd } from './pages/unpack-page.js';
export { refuseWideDeltas } from './pages/wide-deltas.js';
export { holdsValues, nullableObjects, type NullableObject } from './nullable-objects.js';
export {
  areWide,
  bytesType,
  type DecimalBytes,
  decimalBytes,
  decimalColumns,
  decimalOfBytes,
  INTERVAL_BYTES,
  intervalText,
  LONG_DECIMAL,
  LONG_DECIMAL_WORDS,
  refuseTooWide,
  typeOfBytes,
} from './byte-values.js';
