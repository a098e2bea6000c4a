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
export { parseTableArgument, parseTableUri } from './describe/table-argument.js';
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
export { EdgeModule } from './edge.module.js';
export { AboutController, EDGE_VERSION } from './http/about.controller.js';
export { CallerGuard } from './http/caller.guard.js';
export type { Workshop } from './registry/open-source.js';
export { Registrations } from './registry/registrations.js';
export { Reloader } from './registry/reloader.js';
export { SourceReader } from './registry/source-reader.js';
export { TableRegistry, type TableChange } from './registry/table-registry.js';
export type { FollowState } from './follow/follow-state.js';
export { Follower } from './follow/follower.js';
export { KeyValueStores } from './kv/key-value-stores.js';
export type { PreparedTable } from './registry/prepare-table.js';
export { EdgePostgresDoor } from './postgres/edge-postgres-door.js';
export { Holding } from './registry/holding.js';
