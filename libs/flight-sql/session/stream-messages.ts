import type { Readable } from 'node:stream';
import { MillraceError } from '@app/platform';
import { BOUNDS } from '../flight-sql-bounds.js';
import type { StreamCall } from './calls.js';

/** A client has not taken its answer. Otherwise the rest of it would be held in memory for ever. */
export class NotTakenError extends MillraceError {
  constructor() {
    super('QUERY_TIMEOUT', `the answer was not taken for ${BOUNDS.takeSeconds} seconds`);
  }
}

/**
 * Sends messages one by one, each when the client has taken the one before.
 * @throws {NotTakenError}
 */
export async function sendMessages(
  call: StreamCall,
  messages: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) await taken(call, message, signal);
}

/** Sends a message, and waits until the client takes it. @throws {NotTakenError} */
export async function taken(call: StreamCall, message: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let late: NodeJS.Timeout | undefined;
  let leave: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
      late = setTimeout(() => reject(new NotTakenError()), BOUNDS.takeSeconds * 1000);
      call.write(message, (error?: Error | null) => (error ? reject(error) : resolve()));
    });
  } finally {
    clearTimeout(late);
    if (leave) signal.removeEventListener('abort', leave);
  }
}

/**
 * All messages that a client sends, until it has sent the last one. How long it may take is bounded
 * where calls are let in.
 * @param most after so many no more are waited for
 * @throws {MillraceError} UPLOAD_TOO_LARGE
 */
export async function receivedMessages(
  call: Readable,
  most = Infinity,
): Promise<readonly Buffer[]> {
  const messages: Buffer[] = [];
  // The answer goes out on the same stream, so the stream stays open.
  const received = call.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let bytes = 0;
  while (messages.length < most) {
    const next: IteratorResult<Buffer, unknown> = await received.next();
    if (next.done === true) break;
    bytes += next.value.length;
    if (bytes > BOUNDS.callBytes || messages.length === BOUNDS.callMessages)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `a call may send at most ${BOUNDS.callBytes} bytes, in at most ${BOUNDS.callMessages} messages`,
      );
    messages.push(next.value);
  }
  return messages;
}
