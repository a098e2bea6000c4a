import {
  readBinaryType,
  readRawBinaryType,
  writeBinaryType,
  writeRawBinaryType,
} from './binary-type.js';

describe('types of bytes', () => {
  it('keep each length in their names', () => {
    for (let bytes = 1; bytes <= 192; bytes += 1)
      expect(readBinaryType(writeBinaryType({ bytes }))).toStrictEqual({ bytes });
  });

  it('are of the length that base64 has', () => {
    for (const bytes of [1, 2, 3, 16, 20, 192])
      expect(writeBinaryType({ bytes })).toContain(
        `FixedString(${Buffer.alloc(bytes).toString('base64').length})`,
      );
  });

  it('are of any length where no length is said, or a long one', () => {
    expect(readBinaryType(writeBinaryType({}))).toStrictEqual({});
    expect(writeBinaryType({ bytes: 193 })).toBe(writeBinaryType({}));
  });

  it.each([
    'String',
    'FixedString(4)',
    'SimpleAggregateFunction(sum, Int64)',
    'SimpleAggregateFunction(min, FixedString(4))',
  ])('are not %s', (type) => {
    expect(readBinaryType(type)).toBeUndefined();
  });
});

describe('types of bytes that are kept as they are', () => {
  it.each([{}, { bytes: 1 }, { bytes: 4 }, { bytes: 300 }])('say their length: %j', (bytes) => {
    expect(readRawBinaryType(writeRawBinaryType(bytes))).toStrictEqual(bytes);
    expect(readBinaryType(writeRawBinaryType(bytes))).toBeUndefined();
  });

  it.each(['String', 'FixedString(4)', writeBinaryType({}), writeBinaryType({ bytes: 3 })])(
    'are not %s',
    (type) => {
      expect(readRawBinaryType(type)).toBeUndefined();
    },
  );
});
