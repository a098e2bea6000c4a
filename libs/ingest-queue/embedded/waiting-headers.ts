import { statSync } from 'node:fs';
import { join } from 'node:path';
import { COMMITTED, openQueueDatabases, type StoredRecord } from './done-records.js';

/**
 * Reads the headers of the waiting records, oldest first. It changes nothing, and no other process
 * may use the queue meanwhile.
 * @param directory of the queue, absolute; a missing one has no records
 */
export async function* waitingHeaders(directory: string): AsyncIterable<StoredRecord['headers']> {
  if (!statSync(join(directory, 'data.mdb'), { throwIfNoEntry: false })) return;
  const { environment, records, counters } = openQueueDatabases(directory, { readOnly: true });
  try {
    const start = (counters.get(COMMITTED) ?? 0) + 1;
    for (const { value } of records.getRange({ start })) yield value.headers;
  } finally {
    await environment.close();
  }
}
