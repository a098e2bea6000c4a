import { gauge } from '@app/platform';
import type { IngestQueue } from './ingest-queue.js';

/** Exports for `/metrics` how much waits in a process's queue. It must be called once. */
export function measureQueue(queue: IngestQueue): void {
  gauge({
    name: 'millrace_queue_batches',
    help: 'Batches on the ingest queue that no writer has stored yet',
    collect: (depth) => depth.set(queue.depth().records),
  });
  gauge({
    name: 'millrace_queue_bytes',
    help: 'Their size; beyond MILLRACE_QUEUE_MAX_BYTES uploads get 503',
    collect: (depth) => depth.set(queue.depth().bytes),
  });
  gauge({
    name: 'millrace_queue_lag',
    help: 'Batches that no writer has stored yet, by partition of the queue',
    labelNames: ['partition'],
    collect: (lag) => {
      lag.reset();
      for (const [partition, batches] of queue.lag()) lag.set({ partition }, batches);
    },
  });
}
