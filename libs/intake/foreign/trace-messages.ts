import { traced, traceOf } from '@app/platform';
import type { PlacedMessage } from './place-message.js';

/**
 * Runs work for messages as a span of its own. The span belongs to the trace of the first message
 * with a `traceparent`, with links to those of the others. If no message has one, a new trace
 * begins.
 */
export function tracedFor<Result>(
  messages: readonly PlacedMessage[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [parent = traceOf({}), ...links] = messages.flatMap(({ message: { headers } }) =>
    headers['traceparent'] === undefined ? [] : [traceOf(headers)],
  );
  const first = messages[0]?.message.name ?? '';
  const attributes = { messages: messages.length, 'millrace.message': first };
  return traced('take messages', work, { kind: 'consumer', attributes, parent, links });
}
