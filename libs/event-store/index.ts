export { AuthenticEvents } from './authentic-events.js';
export { CommandPace } from './command-pace.js';
export { contextOf, stepOf, systemContext, type CommandContext } from './command-context.js';
export { ClientSealer, CommandPipeline } from './command.pipeline.js';
export type { Decider, DomainEvent } from './decider.js';
export { partsOf, type EventMetadata, type NewEvent, type RecordedEvent } from './event.js';
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
export { EventTypes, past, type EventFields, type PastVersion } from './event-types.js';
export { isMac, looksAuthentic, macOf, storedMac } from './event-mac.js';
export { LeaderElection } from './leader-election.js';
export { LeftOutEvents } from './left-out-events.js';
export type { Projection, SnapshottedProjection } from './projection.js';
export { Projector } from './projector.js';
export { measureProjections } from './projector-metrics.js';
export { rebuild } from './rebuild.js';
export type { MetEvent } from './met-events.js';
export { measureNotUnderstood, NotUnderstood } from './not-understood.js';
export { MappedEventStore } from './mapped-event-store.js';
export { measureNotOurs, NotOurs } from './not-ours.js';
export { reservation, type ReservationEvent } from './reservation.js';
export { SnapshotFiles } from './snapshot-files.js';
export { StreamCommands, type StreamCommand } from './stream-commands.js';
export { UnderstoodEvents } from './understood-events.js';
