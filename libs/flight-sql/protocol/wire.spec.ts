import fc from 'fast-check';
import { bool, bytes, integer, integers, maybeText, message, messages, MessageType, text, texts } from './wire.js'; // prettier-ignore

const Inner = new MessageType({ name: text(1), more: integers(2) });
const Outer = new MessageType({
  ...{ name: text(1), perhaps: maybeText(2), raw: bytes(1000), isSo: bool(4), size: integer(5) },
  ...{ inner: message(6, Inner), all: messages(7, Inner), words: texts(8) },
});

describe('messages of protobuf', () => {
  it('come back as they were written', () => {
    const inner = { name: 'é', more: [0, 1, 300] };
    const value = {
      ...{ name: 'a', perhaps: '', raw: Buffer.from([0, 255]), isSo: true, size: -1 },
      ...{ inner, all: [inner, { name: '', more: [] }], words: ['x', ''] },
    };
    expect(Outer.decode(Outer.encode(value))).toEqual(value);
  });

  it('have what was not sent as protobuf says', () => {
    expect(Outer.decode(Buffer.alloc(0))).toEqual({
      ...{ name: '', perhaps: undefined, raw: Buffer.alloc(0), isSo: false, size: 0 },
      ...{ inner: undefined, all: [], words: [] },
    });
  });

  it('are read with their integers packed', () => {
    expect(Inner.decode(Buffer.from('120400ac0201', 'hex'))).toEqual({ name: '', more: [0, 300, 1] }); // prettier-ignore
  });

  it('are read past what is not known', () => {
    expect(Inner.decode(Buffer.from('0a0161f807631d000000005a0178', 'hex'))).toEqual({ name: 'a', more: [] }); // prettier-ignore
  });

  it('are refused where a field has another type', () => {
    for (const hex of ['1500000000', '0801', '0d00000000'])
      expect(() => Inner.decode(Buffer.from(hex, 'hex'))).toThrow('has another type');
    for (const hex of ['3801', '4001', '3001', '0801'])
      expect(() => Outer.decode(Buffer.from(hex, 'hex'))).toThrow('has another type');
  });

  it('of any bytes are read, or refused by name', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (any) => {
        try {
          Outer.decode(any);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'INVALID_PARAMETER' });
        }
      }),
      { numRuns: 2000 },
    );
    expect(() => Outer.decode(Buffer.from('3b'.repeat(100_000), 'hex'))).toThrow('cannot be read');
  });
});
