export { INNER_BREAK } from './judge/csv/csv-fields.js';
export type { CsvShape } from './judge/chunk/csv-shape.js';
export { type EvolvedSchema, type SchemaKeeper, acceptRecords } from './records/accept-records.js';
export type {
  AcceptOptions,
  AcceptedChunk,
  Chunk,
  ColumnarFile,
  RejectedRecords,
  Rejection,
  StreamSchema,
} from './records/chunk.js';
export { isCompressed } from './judge/chunk/compression.js';
export { isOutOfSpace } from './records/out-of-space.js';
export { longRecord, refuseLongRecord } from './records/record-limit.js';
export { plainReason, rejectionsOf } from './records/rejection-list.js';
export type { Survey } from './records/survey.js';
export { acceptRows, targetStream } from './table/accept-rows.js';
export { countFields, structure } from './table/files/field-type.js';
export { readParquetFooter } from './table/files/parquet-footer.js';
export { refuseLongRows } from './table/refuse-long-rows.js';
export { spoolRows } from './table/spool-rows.js';
export { isTimeField, spooledType } from './table/sql/stored-value.sql.js';
export { type DataFile, type TableSource, rowsOf, storedFields } from './table/table-source.js';
export { ENGINE_SLOTS, FairEngine } from './turns/fair-engine.js';
export { FairJudge } from './turns/fair-judge.js';
