export {
  AlreadyAppendedError,
  NAMES_KEPT_MS,
  QueueFullError,
  type KeptAppend,
  type NamedAppend,
  type ConsumeOptions,
  type Delivery,
  IngestQueue,
  type Payload,
  type QueueDepth,
  type QueuedRecord,
  type QueuePosition,
  type QueueRecord,
} from './ingest-queue.js';
export { whyNoRoom } from './fair-room.js';
export { measureQueue } from './queue-metrics.js';
export {
  ForeignMessages,
  type DeadMessage,
  type ForeignDelivery,
  type ForeignMessage,
} from './foreign-messages.js';
export type { HoldableQueue, QueueHold } from './queue-hold.js';
