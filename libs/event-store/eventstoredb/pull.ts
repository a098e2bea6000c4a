import type { Readable } from 'node:stream';
import type { ResolvedEvent, StreamSubscription } from '@eventstore/db-client';
import { SilenceError } from './eventstoredb-failure.js';

interface PullOptions {
  /** The server may be silent for so long. Undefined means for ever, as in a subscription. */
  readonly silenceMs?: number;
  readonly signal: AbortSignal;
}

/** Both ways of reading of the client: they are streams of node, though their types hide it. */
export type Source = AsyncIterable<ResolvedEvent> &
  (Pick<StreamSubscription, 'unsubscribe'> | { cancel(): Promise<void> });

/**
 * Gives the events of a reading one by one, until it ends or `signal` aborts. Then, and when the
 * reader stops, the server is told.
 * @throws {SilenceError} and what the client throws.
 */
export async function* pull(
  source: Source,
  { silenceMs, signal }: PullOptions,
): AsyncIterable<ResolvedEvent> {
  const stream = source as unknown as Readable;
  // A failure that comes after the last read must not end the process.
  stream.on('error', () => undefined);
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let waiting = true;
  const timer =
    silenceMs === undefined
      ? undefined
      : setInterval(() => waiting && stream.destroy(new SilenceError(silenceMs)), silenceMs);
  try {
    for await (const event of source) {
      waiting = false;
      yield event;
      waiting = true;
      timer?.refresh();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    ('cancel' in source ? source.cancel() : source.unsubscribe()).catch(() => undefined);
  }
}
