import { counter, gauge, histogram, ROW_BUCKETS } from '@app/platform';
import { FencedError } from '@app/warehouse';
import type { ReceivedBatch } from './group-batches.js';

const inserts = histogram({
  name: 'millrace_insert_duration_seconds',
  help: 'Of one insert into the warehouse: stored, failed (it is tried again), fenced (another writer has the partition)',
  labelNames: ['outcome'],
});
// A rate does not see the step by which a series appears.
for (const outcome of ['stored', 'failed', 'fenced']) inserts.zero({ outcome });
const insertRows = histogram({
  name: 'millrace_insert_rows',
  help: 'Rows of one insert, which is one part',
  buckets: ROW_BUCKETS,
});
const written = counter({
  name: 'millrace_written_rows_total',
  help: 'Rows put into the warehouse by this writer',
});
const batches = counter({
  name: 'millrace_written_batches_total',
  help: 'Batches of the queue put into the warehouse by this writer',
});
const deadLetters = counter({
  name: 'millrace_dead_letters_total',
  help: 'Batches that no table took, kept in <data>/dead-letter',
});

export async function measureInsert(
  group: readonly ReceivedBatch[],
  insert: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const ended = (outcome: string): void =>
    inserts.observe({ outcome }, (performance.now() - startedAt) / 1000);
  try {
    await insert();
  } catch (error) {
    ended(error instanceof FencedError ? 'fenced' : 'failed');
    throw error;
  }
  ended('stored');
  const rows = group.reduce((sum, each) => sum + each.rows, 0);
  insertRows.observe(rows);
  written.inc(rows);
  batches.inc(group.length);
}

export const countDeadLetter = (): void => deadLetters.inc();

interface Measured {
  readonly writer: { readonly tablesWaitedFor: number };
  readonly deadLetter: { readonly size: number };
}

/**
 * Exports for `/metrics` the work that a process's writer cannot finish. It must be called once.
 */
export function measureWriter({ writer, deadLetter }: Measured): void {
  gauge({
    name: 'millrace_tables_waited_for',
    help: 'Tables that take no batches although the warehouse answers: their partitions wait',
    collect: (tables) => tables.set(writer.tablesWaitedFor),
  });
  gauge({
    name: 'millrace_dead_letter_batches',
    help: 'Batches in <data>/dead-letter now, until they are put back',
    collect: (batches) => batches.set(deadLetter.size),
  });
}
