import { crc32 } from 'node:zlib';
import type { NewEvent, RecordedEvent } from '../event.js';

/** The value that is stored under an event's position. */
interface StoredEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  /** The checksum of all other fields; old events have none. */
  readonly sum?: number;
}

const METADATA = ',"metadata":';

/** The text that is stored for an event. */
export function storedText({ id, type, data, metadata, stream, revision }: StoredEvent): string {
  const event = { id, type, data, metadata, stream, revision };
  return JSON.stringify({ ...event, sum: sumOf(event) });
}

/** The event of a stored text. @returns undefined when the text is not what was stored */
export function eventOf(text: string, position: number): RecordedEvent | undefined {
  if (!isPosition(position)) return undefined;
  const stored = (JSON.parse(text) ?? {}) as StoredEvent;
  const { id, type, data, metadata, stream, revision, sum } = stored;
  if (typeof stream !== 'string' || typeof revision !== 'number') return undefined;
  if (sum !== undefined && sum !== sumOfText(text, stored) && sum !== sumOf(stored))
    return undefined;
  // No other fields may stand beside it: no MAC covers them, and readers use fields of their own
  // there.
  return { id, type, data, metadata, stream, revision, position: BigInt(position) };
}

/** An lmdb file may hold any key. */
export const isPosition = (key: number): boolean => Number.isSafeInteger(key) && key >= 1;

/** The checksum of an event as it comes back from its JSON. */
const sumOf = ({ id, type, data, metadata, stream, revision }: StoredEvent): number =>
  crc32(JSON.stringify([id, type, data, metadata, stream, revision]));

/**
 * The same checksum, without making all of its text again, which takes as long as all else. If the
 * places of data and metadata are uncertain, this gives another number.
 */
function sumOfText(text: string, { id, type, stream, revision, sum }: StoredEvent): number {
  const [first, second, place] = [id, type, stream].map((field) => JSON.stringify(field));
  const head = `{"id":${first},"type":${second},"data":`;
  const tail = `,"stream":${place},"revision":${revision},"sum":${sum}}`;
  const end = text.length - tail.length;
  const between = text.lastIndexOf(METADATA, end);
  if (between < head.length || !text.startsWith(head) || !text.endsWith(tail)) return NaN;
  const [data, metadata] = [text.slice(head.length, between), text.slice(between + METADATA.length, end)]; // prettier-ignore
  return crc32(`[${first},${second},${data},${metadata},${place},${revision}]`);
}
