import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { shape } from './codec.js';
import { message, messageOf, readMessage } from './messages.js';
import { ReadBounds } from './read-bounds.js';
import * as scalars from './protobuf-scalars.js';

const INNER = shape({ 1: ['note', scalars.text], 2: ['counts', scalars.uint64, 'list'] });
const EITHER = shape({ 1: ['as_double', scalars.double], 2: ['as_int', scalars.int64] }, ['as_double', 'as_int']); // prettier-ignore
const OUTER = shape({
  1: ['a_text', scalars.text],
  2: ['a_truth', scalars.bool],
  3: ['some_bytes', scalars.bytes],
  4: ['an_id', scalars.hexBytes],
  5: ['unsigned', scalars.uint32],
  6: ['zigzag', scalars.sint32],
  7: ['long', scalars.int64],
  8: ['fixed', scalars.fixed64],
  9: ['signed_fixed', scalars.sfixed64],
  10: ['ratio', scalars.double],
  11: ['kind', scalars.oneOf(['NONE', 'ONE', 'TWO'])],
  12: ['inner', message(INNER)],
  13: ['each_inner', message(INNER), 'each', 'inners'],
  14: ['either', message(EITHER)],
  // A number that takes two bytes.
  300: ['far', scalars.fixed32],
});

interface Inner {
  readonly note: string;
  readonly counts: readonly bigint[];
}
const bigUint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const bigInt64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc.string({ unit: 'binary' });
const inner = fc.record({ note: text, counts: fc.array(bigUint64, { maxLength: 5 }) });
const outer = fc.record({
  aText: text,
  aTruth: fc.boolean(),
  someBytes: fc.uint8Array({ maxLength: 20 }),
  anId: fc.uint8Array({ minLength: 8, maxLength: 16 }),
  unsigned: fc.nat(),
  zigzag: fc.integer(),
  long: bigInt64,
  fixed: bigUint64,
  signedFixed: bigInt64,
  ratio: fc.double({ noNaN: true }),
  kind: fc.nat(2),
  inner,
  inners: fc.array(inner, { maxLength: 4 }),
  far: fc.nat(),
});
type Outer = typeof outer extends fc.Arbitrary<infer T> ? T : never;

const { LengthDelimited, Varint, Bit64, Bit32 } = WireType;

function writeInner(to: BinaryWriter, { note, counts }: Inner, packed: boolean): void {
  to.tag(1, LengthDelimited).string(note);
  if (packed) {
    to.tag(2, LengthDelimited).fork();
    for (const count of counts) to.uint64(count);
    to.join();
  } else for (const count of counts) to.tag(2, Varint).uint64(count);
}

function written(value: Outer, packed = true): Buffer {
  const to = new BinaryWriter();
  to.tag(1, LengthDelimited).string(value.aText).tag(2, Varint).bool(value.aTruth);
  to.tag(3, LengthDelimited).bytes(value.someBytes).tag(4, LengthDelimited).bytes(value.anId);
  // The definition does not have these fields yet.
  to.tag(99, LengthDelimited).string('unknown').tag(98, Varint).uint32(7);
  to.tag(5, Varint).uint32(value.unsigned).tag(6, Varint).sint32(value.zigzag);
  to.tag(7, Varint).int64(value.long).tag(8, Bit64).fixed64(value.fixed);
  to.tag(9, Bit64).sfixed64(value.signedFixed).tag(10, Bit64).double(value.ratio);
  to.tag(11, Varint).int32(value.kind).tag(12, LengthDelimited).fork();
  writeInner(to, value.inner, packed);
  to.join();
  for (const each of value.inners) {
    to.tag(13, LengthDelimited).fork();
    writeInner(to, each, packed);
    to.join();
  }
  to.tag(300, Bit32).fixed32(value.far);
  return Buffer.from(to.finish());
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The fields of the message that are read. */
const expected = ({ someBytes, anId, ...rest }: Outer): object => ({
  ...rest,
  someBytes: base64(someBytes),
  anId: hex(anId),
});

/**
 * Reads lists that are read one by one, and leaves out lists without values, which protobuf does
 * not distinguish from missing ones.
 */
function whole(value: { inners?: Iterable<Partial<Inner>>; inner?: Partial<Inner> }): object {
  const full = (each: Partial<Inner> = {}): object => ({ counts: [], ...each });
  return { ...value, inner: full(value.inner), inners: [...(value.inners ?? [])].map(full) };
}

describe('messages of protobuf', () => {
  it('are what was written, packed or not', () => {
    fc.assert(
      fc.property(outer, fc.boolean(), (value, packed) => {
        expect(whole(readMessage(written(value, packed), OUTER))).toEqual(expected(value));
      }),
    );
  });

  it('are what was written in JSON', () => {
    const names = ['NONE', 'ONE', 'TWO'];
    fc.assert(
      fc.property(outer, fc.boolean(), (value, defined) => {
        const { someBytes, anId, inners, kind, ...rest } = value;
        const json = JSON.stringify(
          {
            ...rest,
            unknown: { a: 1 },
            kind: defined ? names[kind] : kind,
            [defined ? 'some_bytes' : 'someBytes']: base64(someBytes),
            anId: hex(anId).toUpperCase(),
            [defined ? 'each_inner' : 'eachInner']: inners,
          },
          (_key, each: unknown) =>
            typeof each === 'bigint' || (typeof each === 'number' && !Number.isFinite(each))
              ? String(each)
              : each,
        );
        // JavaScript's JSON has no negative zero.
        const { ratio } = value;
        const read = whole(messageOf(JSON.parse(json), OUTER, new ReadBounds()));
        expect(read).toEqual(expected({ ...value, ratio: Object.is(ratio, -0) ? 0 : ratio }));
      }),
    );
  });

  it('that are cut, changed or made up are read or refused, and nothing else', () => {
    const read = (bytes: Buffer): void => {
      try {
        whole(readMessage(bytes, OUTER));
      } catch (error) {
        expect(error).toBeInstanceOf(MillraceError);
        expect((error as MillraceError).kind).toBe('MALFORMED_BODY');
      }
    };
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(outer, fc.nat(), changes, (value, cut, changed) => {
        const bytes = written(value);
        for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
        read(bytes);
        read(bytes.subarray(0, cut % bytes.length));
      }),
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => read(Buffer.from(bytes))));
  });

  it('are refused for lengths that they only claim', () => {
    // field 3 with 4 GiB, field 12 longer than the message, field 2 within 12 beyond its end
    for (const bytes of ['1affffffff0f', '620a0a01', '62020a05'])
      expect(() => whole(readMessage(Buffer.from(bytes, 'hex'), OUTER))).toThrow(MillraceError);
  });

  it.each([
    ['{"aText":1}', 'aText: want a text'],
    ['{"inner":[]}', 'inner: want an object'],
    ['{"inner":{"counts":[1,"-1"]}}', 'inner.counts: want an integer from 0'],
    ['{"eachInner":[{},{"note":false}]}', 'eachInner[1].note: want a text'],
    ['{"unsigned":1.5}', 'unsigned: want an integer'],
    ['{"ratio":"1e999"}', 'ratio: want a number'],
    ['{"someBytes":"*"}', 'someBytes: want Base64'],
    ['{"anId":"abc"}', 'anId: want hexadecimal digits'],
    ['{"kind":"THREE"}', 'kind: want a number, or one of NONE, ONE, TWO'],
    ['[]', 'want an object'],
    ['{"aText":"x","a_text":"y"}', 'want aText or a_text, and both are there'],
    ['{"either":{"asDouble":1,"as_int":2}}', 'either: want one of asDouble and asInt'],
    ['{"elsewhere":[],"other":1}', 'and the body has "elsewhere"; is it meant for another route?'],
  ])('say what is wrong with %s', (json, reason) => {
    expect(() => whole(messageOf(JSON.parse(json), OUTER, new ReadBounds()))).toThrow(reason);
  });
});
