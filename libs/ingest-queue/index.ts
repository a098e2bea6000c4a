export {
  AlreadyAppendedError,
  NAMES_KEPT_MS,
  QueueFullError,
  type KeptAppend,
  type NamedAppend,
  type Delivery,
  IngestQueue,
  type Payload,
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
