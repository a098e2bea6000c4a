import { MillraceError } from '@app/platform';
import { BOUNDS } from '../bounds.js';
import type { StreamCall } from './calls.js';

/** Sends messages as they come, each when the client has taken the one before. @throws {MillraceError} QUERY_TIMEOUT */
export async function sendMessages(
  call: StreamCall,
  messages: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  for await (const message of messages) await taken(call, message, signal);
}

/** A client that does not take it for too long is told so, if it ever reads on, and is waited for no more. */
export async function taken(
  call: StreamCall,
  message: Buffer,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  let late: NodeJS.Timeout | undefined;
  let leave: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
      const failure = new MillraceError('QUERY_TIMEOUT', `the answer was not taken for ${BOUNDS.takeSeconds} seconds`); // prettier-ignore
      late = setTimeout(() => reject(failure), BOUNDS.takeSeconds * 1000);
      call.write(message, (error?: Error | null) => (error ? reject(error) : resolve()));
    });
  } finally {
    clearTimeout(late);
    if (leave) signal.removeEventListener('abort', leave);
  }
}

/**
 * All messages that a client sends, until it has sent the last one.
 * @throws {MillraceError} UPLOAD_TOO_LARGE, UPLOAD_TIMEOUT
 */
export async function receivedMessages(
  call: AsyncIterable<unknown> & Pick<NodeJS.ReadableStream, never>,
  most = Infinity,
): Promise<readonly Buffer[]> {
  const messages: Buffer[] = [];
  let bytes = 0;
  for await (const message of call as AsyncIterable<Buffer>) {
    bytes += message.length;
    if (bytes > BOUNDS.callBytes)
      throw new MillraceError(
        'UPLOAD_TOO_LARGE',
        `a call may send at most ${BOUNDS.callBytes} bytes`,
      );
    messages.push(message);
    if (messages.length >= most) break;
  }
  return messages;
}
