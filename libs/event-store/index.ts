export { CommandPace } from './command-pace.js';
export { contextOf, stepOf, systemContext, type CommandContext } from './command-context.js';
export { ClientSealer, CommandPipeline } from './command.pipeline.js';
export type { Decider, DomainEvent } from './decider.js';
export type { EventMetadata, NewEvent, RecordedEvent } from './event.js';
export {
  WrongExpectedRevisionError,
  type AppendResult,
  type CopiedEvents,
  EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from './event-store.js';
export { Lead } from './lead.js';
export { LeftOutEvents } from './left-out-events.js';
export type { Projection, SnapshottedProjection } from './projection.js';
export { Projector } from './projector.js';
export { measureProjections } from './projector-metrics.js';
export { rebuild } from './rebuild.js';
export { reservation, type Holder } from './reservation.js';
export { SnapshotFiles } from './snapshot-files.js';
