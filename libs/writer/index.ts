export { type Batch, endingOf, readableBatch, toHeaders } from './batch.js';
export { type DeadBatch, DeadLetter, openDeadLetter } from './dead-letter.js';
export { GroupInserter } from './insert-group.js';
export { DeadLetterRequeue } from './dead-letter-requeue.js';
export { type RejectedRemoval, toRemovalRecord } from './rejected-removal.js';
export { measureWriter } from './write-metrics.js';
export { WriteProgress } from './write-progress.js';
export { WritePipeline } from './write.pipeline.js';
