import type { KafkaMessage } from 'kafkajs';
import { certain } from '@app/platform';

/** Cuts what was fetched into slices of at most so many messages and about so many bytes, never of none. */
export function* slices(
  messages: readonly KafkaMessage[],
  { most, maxBytes }: { readonly most: number; readonly maxBytes: number },
): Iterable<readonly KafkaMessage[]> {
  let slice: KafkaMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.value?.length ?? 0;
    if (slice.length > 0 && (slice.length >= most || bytes + size > maxBytes)) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(message);
    bytes += size;
  }
  if (slice.length > 0) yield slice;
}

/** Where to go on behind a slice: behind a batch's last message there may be a transaction's end. */
export function nextOffset(
  slice: readonly KafkaMessage[],
  batch: { readonly messages: readonly KafkaMessage[]; lastOffset(): string },
): string {
  const last = certain(slice.at(-1), 'message of a slice').offset;
  const isLast = last === batch.messages.at(-1)?.offset;
  return String(BigInt(isLast ? batch.lastOffset() : last) + 1n);
}

export const textHeaders = ({ headers }: KafkaMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)]));
