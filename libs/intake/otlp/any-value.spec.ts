import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { shape } from '../protobuf/codec.js';
import { messageOf, readMessage } from '../protobuf/messages.js';
import { ReadBounds } from '../protobuf/read-bounds.js';
import { anyValue, type AnyValue } from './any-value.js';

const HOLDER = shape({ 1: ['value', anyValue] });
const { LengthDelimited, Varint, Bit64 } = WireType;

type Sent =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'array'; readonly value: readonly Sent[] }
  | { readonly kind: 'kvlist'; readonly value: readonly (readonly [string, Sent])[] };

const text = fc.string({ unit: 'binary' });
const { any } = fc.letrec<{ any: Sent }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text.map((value): Sent => ({ kind: 'string', value })),
    fc.boolean().map((value): Sent => ({ kind: 'bool', value })),
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value): Sent => ({ kind: 'int', value })),
    fc.double().map((value): Sent => ({ kind: 'double', value })),
    fc.uint8Array({ maxLength: 9 }).map((value): Sent => ({ kind: 'bytes', value })),
    fc.array(tie('any'), { maxLength: 4 }).map((value): Sent => ({ kind: 'array', value })),
    fc
      .array(fc.tuple(text, tie('any')), { maxLength: 4 })
      .map((value): Sent => ({ kind: 'kvlist', value })),
  ),
}));

function write(to: BinaryWriter, { kind, value }: Sent): void {
  switch (kind) {
    case 'string':
      return void to.tag(1, LengthDelimited).string(value);
    case 'bool':
      return void to.tag(2, Varint).bool(value);
    case 'int':
      return void to.tag(3, Varint).int64(value);
    case 'double':
      return void to.tag(4, Bit64).double(value);
    case 'array':
      to.tag(5, LengthDelimited).fork();
      for (const each of value) {
        write(to.tag(1, LengthDelimited).fork(), each);
        to.join();
      }
      return void to.join();
    case 'kvlist':
      to.tag(6, LengthDelimited).fork();
      for (const [key, each] of value) {
        to.tag(1, LengthDelimited).fork().tag(1, LengthDelimited).string(key);
        write(to.tag(2, LengthDelimited).fork(), each);
        to.join().join();
      }
      return void to.join();
    default:
      to.tag(7, LengthDelimited).bytes(value);
  }
}

function inJson({ kind, value }: Sent): object {
  switch (kind) {
    case 'int':
      return { intValue: String(value) };
    case 'double':
      return { doubleValue: Number.isFinite(value) ? value : String(value) };
    case 'bytes':
      return { bytesValue: Buffer.from(value).toString('base64') };
    case 'array':
      return { arrayValue: { values: value.map(inJson) } };
    case 'kvlist':
      return {
        kvlistValue: { values: value.map(([key, each]) => ({ key, value: inJson(each) })) },
      };
    default:
      return { [`${kind}Value`]: value };
  }
}

function expected({ kind, value }: Sent): string {
  switch (kind) {
    case 'int':
      return String(value);
    case 'double':
      if (!Number.isFinite(value)) return `"${value}"`;
      return Object.is(value, -0) ? '-0.0' : String(value).replace(/^(-?\d+)$/, '$1.0');
    case 'bytes':
      return `"${Buffer.from(value).toString('base64')}"`;
    case 'array':
      return `[${value.map(expected).join(',')}]`;
    case 'kvlist':
      return `{${value.map(([key, each]) => `${JSON.stringify(key)}:${expected(each)}`).join(',')}}`;
    default:
      return JSON.stringify(value);
  }
}

const wireOf = (sent: Sent): Buffer => {
  const to = new BinaryWriter().tag(1, LengthDelimited).fork();
  write(to, sent);
  return Buffer.from(to.join().finish());
};

describe('values of attributes', () => {
  it('become the JSON that they are, exactly, from both encodings', () => {
    fc.assert(
      fc.property(any, (sent) => {
        const { value: read } = readMessage<{ value: AnyValue }>(wireOf(sent), HOLDER);
        expect(read).toEqual({ kind: sent.kind, json: expected(sent) });
        const json = JSON.parse(JSON.stringify({ value: inJson(sent) })) as unknown;
        const { value: same } = messageOf<{ value: AnyValue }>(json, HOLDER, new ReadBounds());
        // JavaScript writes no negative zero in JSON.
        expect(same.json.replaceAll('-0.0', '0.0')).toBe(read.json.replaceAll('-0.0', '0.0'));
        expect(same.kind).toBe(read.kind);
      }),
    );
  });

  it('that say nothing of themselves are none, and null in a list', () => {
    expect(readMessage(Buffer.from('0a00', 'hex'), HOLDER)).toEqual({ value: undefined });
    expect(readMessage(Buffer.from('0a042a020a00', 'hex'), HOLDER)).toEqual({
      value: { kind: 'array', json: '[null]' },
    });
  });

  it.each([
    '{"intValue":"1","stringValue":"x"}',
    '{"stringValue":"x","string_value":"y"}',
    '{"arrayValue":{"values":[{"boolValue":true,"bytesValue":""}]}}',
  ])('are one each, so that none is lost: %s', (json) => {
    const value = { value: JSON.parse(json) as unknown };
    expect(() => messageOf(value, HOLDER, new ReadBounds())).toThrow('value: want one value');
  });

  it('are refused when they are nested too deep, or are too many', () => {
    let deep: Sent = { kind: 'bool', value: true };
    for (let level = 0; level < 99; level += 1) deep = { kind: 'kvlist', value: [['a', deep]] };
    expect(readMessage<{ value: AnyValue }>(wireOf(deep), HOLDER).value.json).toBe(expected(deep));
    for (let level = 0; level < 400; level += 1) deep = { kind: 'array', value: [deep] };
    expect(() => readMessage(wireOf(deep), HOLDER)).toThrow('nested more than');
    expect(() => messageOf({ value: inJson(deep) }, HOLDER, new ReadBounds())).toThrow(
      'nested more than',
    );
    const many = Buffer.from('0a00'.repeat(250_000), 'hex');
    const list = new BinaryWriter().tag(5, LengthDelimited).bytes(many).finish();
    const body = Buffer.from(new BinaryWriter().tag(1, LengthDelimited).bytes(list).finish());
    expect(() => readMessage(body, HOLDER)).toThrow('at most 200000 values');
  });
});
