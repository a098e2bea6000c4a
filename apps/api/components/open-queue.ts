import { join } from 'node:path';
import type { ForeignMessages, HoldableQueue, IngestQueue } from '@app/ingest-queue';
import { nodeId } from '@app/files';
import { OperatorError, type Logger } from '@app/platform';
import type { Config } from '@app/config';

export interface OpenQueue {
  readonly queue: IngestQueue;
  /** It is undefined if other programs cannot leave messages. */
  readonly foreign: ForeignMessages | undefined;
  /** It is undefined if the queue is on servers. */
  readonly held: HoldableQueue | undefined;
}

/** @param hadQueue whether this installation had one */
export async function openQueue(
  { kafka, dataDirectory, queueMaxBytes: maxBytes }: Config,
  hadQueue: boolean,
  log: Logger,
): Promise<OpenQueue> {
  if (kafka === undefined) {
    const { openEmbeddedIngestQueue, refuseLostQueue } = await import('@app/ingest-queue/embedded');
    if (hadQueue) refuseLostQueue(dataDirectory);
    const queue = openEmbeddedIngestQueue({ directory: join(dataDirectory, 'queue'), maxBytes });
    return { queue, foreign: undefined, held: queue };
  }
  const { openKafka } = await import('@app/ingest-queue/kafka');
  try {
    const opened = await openKafka({ ...kafka, maxBytes, nodeId: nodeId(dataDirectory), log });
    return { ...opened, held: undefined };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`KAFKA_BROKERS: ${reason}`, { cause: error });
  }
}
