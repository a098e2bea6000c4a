export {
  QueueFullError,
  type ConsumeOptions,
  type Delivery,
  IngestQueue,
  type Payload,
  type QueueDepth,
  type QueuedRecord,
  type QueuePosition,
  type QueueRecord,
} from './ingest-queue.js';
