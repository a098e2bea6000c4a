import { counter, histogram, ROW_BUCKETS } from '@app/platform';
import type { AcceptedChunk } from '@app/acceptance';

const records = counter(
  {
    name: 'millrace_ingest_records_total',
    help: 'Records that are durable on the queue, accepted or rejected (kept in _rejected)',
    labelNames: ['outcome'],
  },
  ['accepted', 'rejected'],
);
const bytes = counter({
  name: 'millrace_ingest_bytes_total',
  help: 'Bytes of those records as they came, decoded',
});
const batchRecords = histogram({
  name: 'millrace_batch_records',
  help: 'Records that acceptance made one batch of',
  buckets: ROW_BUCKETS,
});

interface Sized {
  readonly recordBytes: number;
}

/** Counts the records that an append has put on the queue. */
export function countStored(chunks: readonly (AcceptedChunk & Sized)[]): void {
  for (const { accepted, rejected, recordBytes } of chunks) {
    const rows = accepted?.rows ?? 0;
    if (rows > 0) batchRecords.observe(rows);
    records.inc({ outcome: 'accepted' }, rows);
    records.inc({ outcome: 'rejected' }, rejected?.rows ?? 0);
    bytes.inc(recordBytes);
  }
}
