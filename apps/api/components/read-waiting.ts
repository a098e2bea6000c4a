import { join } from 'node:path';
import type { Config } from '@app/config';
import { OperatorError, type Logger } from '@app/platform';
import { openDeadLetter, readableBatch, type Batch } from '@app/writer';

/**
 * Reads the descriptions of the batches that are in no table yet, because they are on the queue or
 * set aside here. No process takes any meanwhile.
 * @returns the number of batches, about, that were not looked at because they are too many
 * @throws {Error} if the queue cannot be read
 */
export async function readWaiting(
  { kafka, dataDirectory }: Config,
  log: Logger,
  each: (batch: Batch) => void,
): Promise<number> {
  const take = (headers: Readonly<Record<string, string>>): void => {
    const batch = readableBatch(headers);
    if (batch) each(batch);
  };
  for (const { headers } of await openDeadLetter(dataDirectory).list()) take(headers);
  if (kafka === undefined) {
    const { waitingHeaders } = await import('@app/ingest-queue/embedded');
    for await (const headers of waitingHeaders(join(dataDirectory, 'queue'))) take(headers);
    return 0;
  }
  const { readWaitingHeaders } = await import('@app/ingest-queue/kafka');
  try {
    return await readWaitingHeaders({ ...kafka, log }, take);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`KAFKA_BROKERS: ${reason}`, { cause: error });
  }
}
