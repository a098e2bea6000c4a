import { WireType } from '@bufbuild/protobuf/wire';
import { MillraceError } from '@app/platform';
import type { Codec, Field, Shape } from './codec.js';
import { malformed } from './malformed.js';
import type { ReadBounds } from './read-bounds.js';
import { wireFailure, WireReader } from './wire-reader.js';

/** A message by the names of its fields; fields that were not sent are absent. */
export type Message = Record<string, unknown>;

/** A message within another one. */
export const message = (shape: Shape): Codec<Message> => ({
  wireType: WireType.LengthDelimited,
  wire: (reader) => reader.nested(() => readFields(reader, shape)),
  json: (value, bounds) => fieldsOf(value, shape, bounds),
});

/**
 * Reads a message in protobuf's wire format. Lists that its shape reads one by one are read, and
 * found to be malformed, when they are iterated.
 * @throws {MillraceError} MALFORMED_BODY, UPLOAD_TOO_LARGE
 */
export function readMessage<T>(bytes: Buffer, shape: Shape): T {
  try {
    return readFields(new WireReader(bytes), shape) as T;
  } catch (error) {
    throw wireFailure(error);
  }
}

function readFields(reader: WireReader, shape: Shape): Message {
  const found: Message = {};
  if (shape.each.length > 0) reader.bounds.holder();
  while (!reader.atEnd) {
    const from = reader.pos;
    const [number, wireType] = reader.tag();
    const field = shape.byNumber[number];
    if (field && field.repeated !== 'each') {
      readField(reader, field, wireType, found);
      continue;
    }
    if (field) found[field.key] ??= eachOf(reader, { from, end: reader.end, number }, field);
    reader.pass(wireType, number);
  }
  for (const { key } of shape.each) found[key] ??= NONE;
  return found;
}

const NONE: readonly unknown[] = [];

function readField(reader: WireReader, field: Field, wireType: WireType, found: Message): void {
  const { key, definedName, codec, repeated } = field;
  if (repeated === 'no') {
    checkType(field, wireType);
    // When a single value is repeated, the last one counts. The format would merge repeated
    // messages; no client sends those, so they are refused.
    if (isMessage(found[key])) throw malformed(`the protobuf message has ${definedName} twice`);
    found[key] = codec.wire(reader);
    return;
  }
  const list = (found[key] ??= []) as unknown[];
  if (wireType !== codec.wireType && wireType === WireType.LengthDelimited)
    reader.nested(() => {
      while (!reader.atEnd) {
        reader.bounds.value();
        list.push(codec.wire(reader));
      }
    });
  else {
    checkType(field, wireType);
    // A message counts itself.
    if (wireType !== WireType.LengthDelimited) reader.bounds.value();
    else reader.bounds.step();
    list.push(codec.wire(reader));
  }
}

function checkType({ definedName, codec }: Field, wireType: WireType): void {
  if (wireType !== codec.wireType)
    throw malformed(`the protobuf message has another type for ${definedName} than its definition`);
}

interface Place {
  /** The place of the list's first value. */
  readonly from: number;
  /** The end of the list's message. */
  readonly end: number;
  readonly number: number;
}

/**
 * Reads the list again from its message's bytes, so that no value is held in memory. Lists within
 * its values move the reader meanwhile.
 */
function eachOf(reader: WireReader, { from, end, number }: Place, field: Field): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      try {
        let at = from;
        for (;;) {
          reader.moveTo(at, end);
          if (reader.atEnd) return;
          const [found, wireType] = reader.tag();
          if (found !== number) {
            reader.pass(wireType, found);
            at = reader.pos;
            continue;
          }
          checkType(field, wireType);
          reader.bounds.renew();
          const value = field.codec.wire(reader);
          at = reader.pos;
          yield value;
        }
      } catch (error) {
        throw wireFailure(error);
      }
    },
  };
}

/**
 * Reads a request from its JSON, by protobuf's mapping; `value` is parsed. Unknown fields are passed
 * over, but a request of nothing else is meant for another route.
 * @throws {MillraceError} MALFORMED_BODY
 */
export function messageOf<T>(value: unknown, shape: Shape, bounds: ReadBounds): T {
  const found = fieldsOf(value, shape, bounds);
  const [sent] = Object.keys(value as Message);
  const isKnown = shape.all.some(
    ({ name, definedName }) => Object.hasOwn(value as Message, name) || Object.hasOwn(value as Message, definedName), // prettier-ignore
  );
  if (sent !== undefined && !isKnown)
    throw malformed(
      `want ${shape.all.map(({ name }) => name).join(', ')}, and the body has ${JSON.stringify(sent.slice(0, 100))}; is it meant for another route?`,
    );
  return found as T;
}

function fieldsOf(value: unknown, shape: Shape, bounds: ReadBounds): Message {
  if (!isMessage(value)) throw malformed('want an object');
  bounds.enter();
  const found: Message = {};
  for (const field of shape.all) {
    const { name, definedName, key, codec, repeated } = field;
    const sent = value[name] ?? value[definedName];
    if (name !== definedName && isSent(value[name]) && isSent(value[definedName]))
      throw malformed(`want ${name} or ${definedName}, and both are there`);
    if (sent === undefined || sent === null) {
      if (repeated === 'each') found[key] = [];
      continue;
    }
    found[key] = told(name, () => {
      if (repeated === 'no') return codec.json(sent, bounds);
      if (!Array.isArray(sent)) throw malformed('want an array');
      return repeated === 'each'
        ? eachIn(name, sent, codec, bounds)
        : sent.map((each) => codec.json(each, bounds));
    });
  }
  const several = shape.oneOf.filter(({ key }) => found[key] !== undefined);
  if (several.length > 1)
    throw malformed(`want one of ${several.map(({ name }) => name).join(' and ')}`);
  bounds.leave();
  return found;
}

const isSent = (value: unknown): boolean => value !== undefined && value !== null;

function eachIn(
  name: string,
  values: readonly unknown[],
  codec: Codec<unknown>,
  bounds: ReadBounds,
): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const [index, value] of values.entries()) {
        bounds.renew();
        yield told(`${name}[${index}]`, () => codec.json(value, bounds));
      }
    },
  };
}

/** Names the place of a fault. */
function told<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MillraceError) || error.kind !== 'MALFORMED_BODY') throw error;
    throw malformed(
      `${name}${/^[a-z]\w*(?:\[\d+\])?[.:]/i.test(error.message) ? '.' : ': '}${error.message}`,
    );
  }
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
