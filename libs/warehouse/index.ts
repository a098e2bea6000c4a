export {
  AUDIT_COLUMNS,
  AUDIT_TABLE,
  REJECTED_COLUMNS,
  REJECTED_TABLE,
  STREAM_COLUMN,
  POSITION_COLUMNS,
  TIMESTAMP,
} from './ddl/ddl.js';
export { ENGINE_FORMATS, isEngineFormat } from './engine-formats.js';
export { UNTYPED } from './ddl/column-changes.js';
export { searchedText } from './ddl/column-indexes.js';
export { newDatabaseName } from './ddl/database-name.js';
export { quoteIdentifier, quoteText } from './ddl/identifier.js';
export { isPrintedAsValue, losesQuotes } from './ddl/unquoted-names.js';
export { likelyDelimiter, namedByHeader, toldDelimiter } from './ddl/header-columns.js';
export { namesAbove } from './ddl/names-above.js';
export { withoutNull } from './ddl/without-null.js';
export { availableMemory } from './memory/available-memory.js';
export { releaseSentMemory } from './memory/release-memory.js';
export { openWarehouse, type OpenWarehouse } from './open-warehouse.js';
export type { EngineEvent } from './child/engine-event.js';
export {
  readBinaryType,
  readRawBinaryType,
  writeBinaryType,
  writeRawBinaryType,
} from './sql/binary-type.js';
export { microsByMagnitude } from './sql/batches/micros-by-magnitude.js';
export { WHOLE_RESULT } from './sql/read-settings.js';
export { openSourceEngine } from './open-source-engine.js';
export type { SourceEngine } from './source-engine.js';
export type { RowFile, RowFiles } from './row-files.js';
export { StorageUse } from './ports/storage-use.js';
export { WholeResult } from './whole-result.js';
export {
  FencedError,
  isOfData,
  NETWORK_ERROR,
  PacedError,
  passes,
  refuses,
  TableAsideError,
  toWarehouseError,
  unreadablePart,
  WarehouseError,
  withoutPaths,
} from './warehouse-errors.js';
export { TableBackups } from './ports/table-backups.js';
export {
  type AsideTable,
  type DamagedPart,
  TableHealth,
  type TableRows,
} from './ports/table-health.js';
export { type AuditFilter, type AuditRow, AuditTables } from './ports/audit-tables.js';
export { PersonKeyTable } from './ports/person-key-table.js';
export {
  type BatchInsert,
  type Column,
  type Indexed,
  LocalEngine,
  type QueryLimits,
  type QueryProgress,
  type RejectedRows,
  REMOVED_AT_ONCE,
  type AnswerFormat,
  type ResultFormat,
  type StoredBatch,
  StreamStatistics,
  type TableName,
  type TableStatistics,
  type WrittenTimes,
  type Warehouse,
  type WarehouseQuery,
  type WarehouseTable,
  WarehouseReader,
  WarehouseSchema,
  WarehouseWriter,
} from './warehouse.js';
