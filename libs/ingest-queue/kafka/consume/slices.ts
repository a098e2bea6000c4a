import { isUtf8 } from 'node:buffer';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import { certain } from '@app/platform';

/**
 * Cuts messages into slices with at most so many messages and about so many bytes. No slice is
 * empty.
 */
export function* slices<Message extends Pick<KafkaMessage, 'value'>>(
  messages: readonly Message[],
  { most, maxBytes }: { readonly most: number; readonly maxBytes: number },
): Iterable<readonly Message[]> {
  let slice: Message[] = [];
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

/**
 * The offset after a slice. Behind a batch's last message there may be the end of a transaction.
 */
export function nextOffset(
  slice: readonly KafkaMessage[],
  batch: { readonly messages: readonly KafkaMessage[]; lastOffset(): string },
): string {
  const last = certain(slice.at(-1), 'message of a slice').offset;
  const isLast = last === batch.messages.at(-1)?.offset;
  return String(BigInt(isLast ? batch.lastOffset() : last) + 1n);
}

/** A message's headers as text. A header without a value counts as one that was not sent. */
export const textHeaders = ({ headers }: KafkaMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, value]) =>
      isAbsent(value) ? [] : [[name, [value].flat().map(textOf).join(',')]],
    ),
  );

/** The client gives null for a header without a value, other than its types say. */
const isAbsent = (value: IHeaders[string] | null): value is null | undefined =>
  value === undefined || value === null;

/**
 * Bytes that are no text are written in hexadecimal. Decoded as text, different bytes would become
 * the same replacement characters, and so would the numbers and UUIDs that programs send as keys.
 */
function textOf(value: Buffer | string | undefined): string {
  return Buffer.isBuffer(value) && !isUtf8(value) ? `0x${value.toString('hex')}` : String(value);
}

/**
 * The headers of messages as text, in order. Consecutive messages with the same headers share one
 * object, because most messages of a producer have the same headers and only a line of content.
 */
export function textsOfHeaders(
  messages: readonly KafkaMessage[],
): readonly Readonly<Record<string, string>>[] {
  let before: KafkaMessage | undefined;
  let texts: Readonly<Record<string, string>> = {};
  return messages.map((message) => {
    if (before === undefined || !haveSameHeaders(before, message)) texts = textHeaders(message);
    before = message;
    return texts;
  });
}

function haveSameHeaders(
  { headers: one = {} }: KafkaMessage,
  { headers: other = {} }: KafkaMessage,
) {
  let names = 0;
  for (const name in one) {
    const [a, b] = [one[name], other[name]];
    if (!Buffer.isBuffer(a) || !Buffer.isBuffer(b) || !a.equals(b)) return false;
    names += 1;
  }
  return names === Object.keys(other).length;
}
