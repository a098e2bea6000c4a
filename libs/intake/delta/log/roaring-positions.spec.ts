import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { roaringPositions } from './roaring-positions.js';

type Form = 'plain' | 'runs';

const numbers = (bytes: 2 | 4, ...values: number[]): Buffer => {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [index, value] of values.entries())
    if (bytes === 2) buffer.writeUInt16LE(value, index * 2);
    else buffer.writeUInt32LE(value, index * 4);
  return buffer;
};

function groupBy<Value, Key>(
  values: readonly Value[],
  keyOf: (value: Value) => Key,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

/** Writes positions as the specification of Roaring says, in containers of one form. */
function write(positions: readonly bigint[], form: Form): Buffer {
  const high = groupBy(positions, (position) => position >> 32n);
  const bitmaps = [...high].map(([key, values]) =>
    Buffer.concat([
      numbers(4, Number(key)),
      bitmap(
        values.map((v) => Number(v & 0xffffffffn)),
        form,
      ),
    ]),
  );
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(bitmaps.length));
  return Buffer.concat([numbers(4, 1681511377), count, ...bitmaps]);
}

function bitmap(values: readonly number[], form: Form): Buffer {
  const groups = [...groupBy(values, (value) => Math.floor(value / 65536))];
  const keys = groups.map(([key, all]) => numbers(2, key, all.length - 1));
  const containers = groups.map(([, all]) =>
    container(
      all.map((value) => value % 65536),
      form,
    ),
  );
  const offsets = numbers(4, ...groups.map(() => 0));
  if (form === 'plain')
    return Buffer.concat([numbers(4, 12346, groups.length), ...keys, offsets, ...containers]);
  const flags = Buffer.alloc(Math.ceil(groups.length / 8), 0xff);
  const cookie = numbers(4, 12347 + (groups.length - 1) * 65536);
  return Buffer.concat([
    cookie,
    flags,
    ...keys,
    ...(groups.length < 4 ? [] : [offsets]),
    ...containers,
  ]);
}

function container(values: readonly number[], form: Form): Buffer {
  if (form === 'runs') {
    const runs = values.flatMap((value, index) => (values[index - 1] === value - 1 ? [] : [value]));
    const ends = values.filter((value, index) => values[index + 1] !== value + 1);
    return numbers(
      2,
      runs.length,
      ...runs.flatMap((first, index) => [first, (ends[index] ?? 0) - first]),
    );
  }
  if (values.length <= 4096) return numbers(2, ...values);
  const bits = Buffer.alloc(8192);
  for (const value of values) bits[value >> 3] = (bits[value >> 3] ?? 0) | (1 << (value & 7));
  return bits;
}

const read = (bytes: Buffer): bigint[] =>
  [...roaringPositions(bytes, 'it')].flatMap((positions) => [...positions]);
const forms = fc.constantFrom<Form>('plain', 'runs');

describe('a bitmap of deleted rows', () => {
  it('gives the positions that were written, however they are kept', () => {
    const position = fc.oneof(
      fc.bigInt({ min: 0n, max: 300_000n }),
      fc.bigInt({ min: 0n, max: 2n ** 34n }),
    );
    const sorted = fc
      .uniqueArray(position, { maxLength: 300 })
      .map((all) => all.sort((a, b) => (a < b ? -1 : 1)));
    fc.assert(
      fc.property(sorted, forms, (positions, form) => {
        expect(read(write(positions, form))).toEqual(positions);
      }),
    );
  });

  it.each<Form>(['plain', 'runs'])('gives many in one container too (%s)', (form) => {
    const positions = Array.from(
      { length: 60_000 },
      (_, index) => BigInt(index) + (index > 9 ? 1n : 0n),
    );
    expect(read(write(positions, form))).toEqual(positions);
  });

  it('ends with our own error on whatever else', () => {
    const good = write([1n, 2n, 70_000n, 2n ** 33n], 'runs');
    const damaged = fc
      .tuple(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length))
      .map(([at, value, length]) => {
        const bytes = Buffer.from(good);
        bytes[at] = value;
        return bytes.subarray(0, length);
      });
    fc.assert(
      fc.property(
        fc.oneof(
          damaged,
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        (bytes) => {
          try {
            read(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(MillraceError);
          }
        },
      ),
    );
    expect(() => read(good.subarray(0, -1))).toThrow('it is not a bitmap');
    expect(() => read(Buffer.alloc(0))).toThrow('it is not a bitmap');
  });
});
