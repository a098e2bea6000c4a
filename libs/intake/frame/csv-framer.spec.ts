import fc from 'fast-check';
import { INNER_BREAK } from '@app/acceptance';
import { CsvFramer } from './csv-framer.js';
import { rounds } from '../../../test/rounds.js';

/** Frames a text that arrives in pieces that end at `cuts`. */
function frame(text: string, cuts: readonly number[] = [], delimiter = ','): Buffer[] {
  const bytes = Buffer.from(text);
  const framer = new CsvFramer(delimiter.charCodeAt(0));
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  let from = 0;
  const pieces = ends.map((end) => {
    const piece = Buffer.from(bytes.subarray(from, end));
    from = end;
    return Buffer.from(framer.push(piece));
  });
  framer.end();
  const framed = Buffer.concat(pieces);
  const lines: Buffer[] = [];
  for (let at = 0; at < framed.length;) {
    const end = framed.indexOf('\n', at);
    lines.push(framed.subarray(at, end < 0 ? framed.length : end));
    at = end < 0 ? framed.length : end + 1;
  }
  return lines;
}

const restored = (line: Buffer): string =>
  Buffer.from(line.map((byte) => (byte === INNER_BREAK ? 0x0a : byte))).toString();

describe('framing CSV', () => {
  it('takes quotes behind blanks for quotes, wherever the pieces end', () => {
    const text = 'a, "x\ny" \t,b\n "p""q" ,\t"\n"\r\n x "y, z\n';
    const framed = ['a, "x\ny" \t,b', ' "p""q" ,\t"\n"\r', ' x "y, z'];
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(frame(text, [cut]).map(restored)).toEqual(framed);
    expect(() => frame('a\n"x" y\n')).toThrow('behind the quotes');
    expect(frame('a\tb\t"x"\n \n', [], '\t').map(restored)).toEqual(['a\tb\t"x"', ' ']);
  });

  it('puts each record on a line, whatever is in its fields and wherever the pieces end', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é', ' ', ';') });
    const record = fc.array(field, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        (records, cuts, end) => {
          const lines = records.map((fields) =>
            fields.map((text) => `"${text.replaceAll('"', '""')}"`).join(','),
          );
          const framed = frame(lines.map((line) => line + end).join(''), cuts);
          expect(framed.map(restored)).toEqual(
            lines.map((line) => (end === '\r\n' ? `${line}\r` : line)),
          );
        },
      ),
      { numRuns: rounds(200, 5000) },
    );
  });

  it('frames alike whether a piece is searched or looked through', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' '),
      maxLength: 40,
    });
    const unlessMalformed = (work: () => Buffer[]): string[] | 'malformed' => {
      try {
        return work().map(String);
      } catch {
        return 'malformed';
      }
    };
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 6 }), (bytes, cuts) => {
        // Byte by byte, there is hardly anything to search for.
        const single = unlessMalformed(() =>
          frame(
            bytes,
            [...bytes].map((_, index) => index),
          ),
        );
        expect(unlessMalformed(() => frame(bytes, cuts))).toEqual(single);
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it('takes quotes for quotes only where a field begins', () => {
    expect(frame('a"b,c\n"d"\n').map(String)).toEqual(['a"b,c', '"d"']);
    expect(frame('a;"b\nc"\n', [], ';').map(restored)).toEqual(['a;"b\nc"']);
    expect(frame('a;"b\nc"\n').map(String)).toEqual(['a;"b', 'c"']);
  });

  it('leaves blank lines out', () => {
    expect(frame('\n\r\n a\n\n\nb').map(String)).toEqual([' a', 'b']);
  });

  it.each([
    ['a,"b\n', /quoted field of record 1 never ends/],
    ['a\nb\n"c', /quoted field of record 3 never ends/],
  ])('refuses %j', (text, message) => {
    expect(() => frame(text)).toThrow(message);
  });

  it('refuses what is not UTF-8 and could be taken for a line break', () => {
    const framer = new CsvFramer(0x2c);
    expect(() => framer.push(Buffer.from([0x61, 0x0a, INNER_BREAK]))).toThrow(
      /record 2 is not UTF-8/,
    );
  });
});
