export {
  beyondFloat,
  changedIn,
  EXACT_FLOAT,
  fits,
  isObject,
  isScalar,
  isText,
  isUntyped,
  kindThatWidens,
  meetsFractions,
  type Verbatim,
} from './aggregates/column-types.js';
export { declarableName } from './aggregates/declared-type-names.js';
export { holds, readValueType, type ValueType, writeValueType } from './aggregates/value-type.js';
export { mayDiffer } from './aggregates/given/source-types.js';
export { type GivenType, ofGivenType, writeGivenType } from './aggregates/given/given-type.js';
export { COLUMNS_MAX } from './aggregates/declared-columns.js';
export {
  hasPaths,
  limitedWithin,
  type ObjectColumn,
  PATH_BYTES_MAX,
  PATH_DEPTH_MAX,
  PATH_PROBLEM,
  within,
  WRITTEN_FLOAT,
} from './aggregates/object-paths.js';
export { pathFields } from './aggregates/object-values.js';
export { fieldNameProblem, streamNameProblem } from './aggregates/stream-name-rules.js';
export {
  changesSchema,
  listedColumns,
  refusedFields,
  type Schema,
} from './aggregates/stream-schema.js';
export { adoptedSchema, adoptedSettings } from './aggregates/adopted-table.js';
export { streamAggregate } from './aggregates/stream.aggregate.js';
export { streamName, streamNameStream } from './commands/stream-name.js';
export { EnsureStream } from './commands/ensure-stream.command.js';
export { organizationDeleted } from './commands/organization-deleted.js';
export { StreamRoom } from './commands/stream-room.js';
export { EvolveStreamSchema } from './commands/evolve-stream-schema.command.js';
export { MemberCount } from './http/summary.controller.js';
export { DamagedTables } from './damage/damaged-tables.js';
export { KeptRowCounts } from './damage/kept-row-counts.js';
export { DroppedTablesProjection } from './projections/dropped-tables.projection.js';
export { ForgottenBatchesProjection } from './projections/forgotten-batches.projection.js';
export { StreamsProjection, type StreamDescription } from './projections/streams.projection.js';
export { FoundTables } from './projections/found-tables.js';
export { WarehouseTablesProjection } from './projections/warehouse-tables.projection.js';
export { StreamsModule } from './streams.module.js';
export { STREAM_EVENTS } from './stream-event-fields.js';
export { STREAM_BOUNDS } from './stream-bounds.settings.js';
