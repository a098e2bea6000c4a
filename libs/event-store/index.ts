export { contextOf, systemContext, type CommandContext } from './command-context.js';
export { CommandPipeline } from './command.pipeline.js';
export type { Decider, DomainEvent } from './decider.js';
export type { EventMetadata, NewEvent, RecordedEvent } from './event.js';
export {
  WrongExpectedRevisionError,
  type AppendResult,
  EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type SubscribeOptions,
} from './event-store.js';
export { Projector, type Projection } from './projector.js';
