import { message, readMessage } from '../protobuf/messages.js';
import { shape } from '../protobuf/codec.js';
import { LineWriter } from '../protobuf/line.js';
import { malformed } from '../protobuf/malformed.js';
import { parseJson } from '../protobuf/parse-json.js';
import { int32, int64, text } from '../protobuf/protobuf-scalars.js';
import type { Lines } from '../upload/line-uploads.js';
import { labelMembers } from './label-text.js';

/** Field numbers are those of Loki's `push.proto`. */
const LABEL_PAIR = shape({ 1: ['name', text], 2: ['value', text] });
const TIMESTAMP = shape({ 1: ['seconds', int64], 2: ['nanos', int32] });
const ENTRY = shape({
  1: ['timestamp', message(TIMESTAMP)],
  2: ['line', text],
  3: ['structured_metadata', message(LABEL_PAIR), 'list'],
});
const STREAM = shape({ 1: ['labels', text], 2: ['entries', message(ENTRY), 'each'] });
const PUSH_REQUEST = shape({ 1: ['streams', message(STREAM), 'each'] });

interface Pair {
  readonly name?: string;
  readonly value?: string;
}
interface PushRequest {
  readonly streams: Iterable<{
    readonly labels?: string;
    readonly entries: Iterable<{
      readonly timestamp?: { readonly seconds?: bigint; readonly nanos?: number };
      readonly line?: string;
      readonly structuredMetadata?: readonly Pair[];
    }>;
  }>;
}

const NANOS = 1_000_000_000n;

/** One JSON object for each entry, without its braces. @param body protobuf. @throws {MillraceError} MALFORMED_BODY */
export function* entryLines(body: Buffer): Lines {
  for (const { labels = '{}', entries } of readMessage<PushRequest>(body, PUSH_REQUEST).streams) {
    yield undefined;
    // Labels are read only for a stream with entries: many streams without entries would take long.
    let members: string | undefined;
    for (const { timestamp = {}, line = '', structuredMetadata = [] } of entries) {
      const { seconds = 0n, nanos = 0 } = timestamp;
      members ??= labelMembers(labels);
      yield entry(members, seconds * NANOS + BigInt(nanos), line, pairMembers(structuredMetadata));
    }
  }
}

const pairMembers = (pairs: readonly Pair[]): string =>
  pairs
    .map(({ name = '', value = '' }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(',');

const NANOSECONDS = /^-?\d{1,19}$/;

/** Does the same for a JSON body. */
export function* jsonEntryLines(body: Buffer): Lines {
  const streams = listIn(objectOf(parseJson(body), 'the body'), 'streams', 'the body');
  for (const [at, each] of streams.entries()) {
    yield undefined;
    const stream = objectOf(each, `streams[${at}]`);
    const members = textMembers(stream.stream ?? {}, `streams[${at}].stream`);
    for (const [index, value] of listIn(stream, 'values', `streams[${at}]`).entries()) {
      const place = `streams[${at}].values[${index}]`;
      const [time, line, metadata = {}] = arrayOf(value, place);
      if (typeof time !== 'string' || !NANOSECONDS.test(time) || typeof line !== 'string')
        throw malformed(`${place}: want ["<nanoseconds>", "<line>"]`);
      yield entry(members, BigInt(time), line, textMembers(metadata, place));
    }
  }
}

function entry(labels: string, nanoseconds: bigint, line: string, metadata: string): string {
  const written = new LineWriter().time(nanoseconds).integer('time_unix_nano', nanoseconds);
  written.json('line', JSON.stringify(line)).json('labels', `{${labels}}`);
  if (metadata !== '') written.json('structured_metadata', `{${metadata}}`);
  return written.toString();
}

function textMembers(labels: unknown, place: string): string {
  const pairs = Object.entries(objectOf(labels, place));
  const odd = pairs.find(([, value]) => typeof value !== 'string');
  if (odd) throw malformed(`${place}: want ${JSON.stringify(odd[0])} to be a text`);
  return pairMembers(pairs.map(([name, value]) => ({ name, value: value as string })));
}

function objectOf(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`${place}: want an object`);
  return value as Readonly<Record<string, unknown>>;
}

/**
 * A list that is missing counts as empty only if the object has no other key. With another key, the
 * client may speak an older version that calls the list otherwise, so that is an error.
 */
function listIn(
  object: Readonly<Record<string, unknown>>,
  name: string,
  place: string,
): readonly unknown[] {
  const list = object[name];
  const other = Object.keys(object).find((key) => name === 'streams' || key !== 'stream');
  if (list === undefined && other !== undefined)
    throw malformed(
      `${place}: want "${name}", and there is ${JSON.stringify(other.slice(0, 100))}`,
    );
  return arrayOf(list ?? [], `${place === 'the body' ? '' : `${place}.`}${name}`);
}

function arrayOf(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`${place}: want an array`);
  return value as readonly unknown[];
}
