export {
  arrowName,
  beyondFloat,
  EXACT_FLOAT,
  fits,
  isText,
  type Kinds,
  kindThatWidens,
} from './aggregates/column-types.js';
export { fieldNameProblem, streamNameProblem } from './aggregates/names.js';
export {
  changesSchema,
  COLUMNS_MAX,
  refusedFields,
  type Survey,
} from './aggregates/stream.aggregate.js';
export { EnsureStream } from './commands/ensure-stream.command.js';
export { EvolveStreamSchema } from './commands/evolve-stream-schema.command.js';
export { MemberCount } from './http/summary.controller.js';
export { DroppedTablesProjection } from './projections/dropped-tables.projection.js';
export { StreamsProjection, type StreamDescription } from './projections/streams.projection.js';
export { WarehouseTablesProjection } from './projections/warehouse-tables.projection.js';
export { StreamsModule } from './streams.module.js';
