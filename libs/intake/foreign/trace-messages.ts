import { traced, traceOf } from '@app/platform';
import type { PlacedMessage } from './place-message.js';

/**
 * Work for messages as a span of its own: of the trace that the first of them with a `traceparent`
 * brings, linked to those of the others; of a trace that begins here when none brings one.
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
