export {
  arrowName,
  beyondFloat,
  changedIn,
  EXACT_FLOAT,
  fits,
  isText,
  isUntyped,
  type Kinds,
  kindThatWidens,
  type Verbatim,
} from './aggregates/column-types.js';
export { COLUMNS_MAX } from './aggregates/declared-columns.js';
export { fieldNameProblem, streamNameProblem } from './aggregates/names.js';
export {
  changesSchema,
  listedColumns,
  refusedFields,
  type Schema,
  type Survey,
} from './aggregates/stream-schema.js';
export { EnsureStream } from './commands/ensure-stream.command.js';
export { StreamRoom } from './commands/stream-room.js';
export { EvolveStreamSchema } from './commands/evolve-stream-schema.command.js';
export { MemberCount } from './http/summary.controller.js';
export { DamagedTables } from './damage/damaged-tables.js';
export { KeptRowCounts } from './damage/kept-row-counts.js';
export { DroppedTablesProjection } from './projections/dropped-tables.projection.js';
export { StreamsProjection, type StreamDescription } from './projections/streams.projection.js';
export { WarehouseTablesProjection } from './projections/warehouse-tables.projection.js';
export { StreamsModule } from './streams.module.js';
