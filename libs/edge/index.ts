export { engineType, type ArrowDataType } from './arrow-data-type.js';
export {
  TABLE_FORMATS,
  type DatabaseFormat,
  type DescribedColumn,
  type DescribedTable,
  type SheetFormat,
  type TableFormat,
  type TableOptions,
} from './table-description.js';
export { parseTableArgument, parseTableUri, withoutPassword } from './describe/table-argument.js';
export { printTable } from './describe/print-table.js';
export {
  dropRequests,
  parseDropRequests,
  parseTableRequests,
  tableRequests,
  type TableRequest,
} from './describe/table-request.js';
export { type DescribedStore, tableEntry, tableName } from './describe/table-entry.js';
export { HELP } from './config/arguments.js';
export { readEdgeConfig, type EdgeConfig, type EdgeQuestion } from './config/edge-config.js';
export type { FollowConfig } from './config/follow-config.js';
