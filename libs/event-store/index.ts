export { AuthenticEvents } from './authenticity/authentic-events.js';
export { CommandPace } from './commands/command-pace.js';
export {
  contextOf,
  stepOf,
  systemContext,
  type CommandContext,
} from './commands/command-context.js';
export { EventSealer, CommandPipeline } from './commands/command.pipeline.js';
export type { Decider, DomainEvent } from './commands/decider.js';
export { stepsOf, type EventMetadata, type NewEvent, type RecordedEvent } from './event.js';
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
export { isMac, looksAuthentic, macOf, storedMac } from './authenticity/event-mac.js';
export { LeaderElection } from './leader-election.js';
export { LeftOutEvents } from './left-out-events.js';
export { byOrganization, organizationOfLane } from './projections/by-organization.js';
export {
  isSnapshotted,
  type Lanes,
  type Projection,
  type SnapshottedProjection,
} from './projections/projection.js';
export { Projector } from './projections/projector.js';
export { measureProjections } from './projections/projector-metrics.js';
export { rebuild } from './projections/rebuild.js';
export type { MetEvent } from './met-events.js';
export { measureNotUnderstood, NotUnderstood } from './not-understood.js';
export { MappedEventStore } from './mapped-event-store.js';
export { measureNotOurs, NotOurs } from './authenticity/not-ours.js';
export { reservation, type ReservationEvent } from './commands/reservation.js';
export { SnapshotFiles } from './projections/snapshot-files.js';
export { usableSnapshot } from './projections/snapshots.js';
export { StreamCommands, type StreamCommand } from './commands/stream-commands.js';
export { UnderstoodEvents } from './understood-events.js';
