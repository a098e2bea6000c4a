import fc from 'fast-check';
import { parseJson } from './parse-json.js';
import { processorMs } from '../../../test/processor-time.js';

describe('JSON of protobuf messages', () => {
  it('keeps integers that a double would round', () => {
    const body = '{"a":9007199254740993,"b":[-9223372036854775808],"c":"\\"9007199254740993,"}';
    expect(parseJson(Buffer.from(body))).toEqual({
      a: '9007199254740993',
      b: ['-9223372036854775808'],
      c: '"9007199254740993,',
    });
  });

  it('is otherwise what it is, beside such an integer too', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (json, double) => {
          const value: unknown = JSON.parse(json);
          const long = `{"long":12345678901234567890,"v":${json},"d":${JSON.stringify(double)}}`;
          const d = JSON.parse(JSON.stringify(double)) as number;
          // A double with more than 16 digits is quoted like an integer; its value stays the same.
          const { d: read, ...rest } = parseJson(Buffer.from(long)) as { d: unknown };
          expect(Number(read)).toBe(d);
          expect(JSON.parse(JSON.stringify(rest))).toEqual({
            long: '12345678901234567890',
            v: quoted(value),
          });
        },
      ),
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '[{"b":{"a":"}","a" : null}}]',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":12345678901234567890,"a":1}',
  ])('refuses a name that an object has twice: %s', (body) => {
    expect(() => parseJson(Buffer.from(body))).toThrow('names a field twice; send each name once');
  });

  it('takes a name twice that is of two objects, and colons and quotes in texts', () => {
    const value = { a: { a: ':"a":' }, b: [{ a: '\\' }, { a: '"' }], ':': { ':': {} } };
    expect(parseJson(Buffer.from(JSON.stringify(value)))).toEqual(value);
    expect(parseJson(Buffer.from('{"__proto__":{"a":1}}'))).toEqual(
      JSON.parse('{"__proto__":{"a":1}}'),
    );
  });

  it('may have long texts', () => {
    const long = 'x'.repeat(16 * 1024 * 1024);
    expect(parseJson(Buffer.from(`{"a":${'1'.repeat(17)},"b":"${long}"}`))).toMatchObject({
      b: long,
    });
  });

  it('may not have more values than can be held', () => {
    for (const body of ['['.repeat(1_000_001), `[${'{},'.repeat(600_000)}{}]`])
      expect(() => parseJson(Buffer.from(body))).toThrow('split it');
  });

  it('is read in one pass, whatever it is', () => {
    const size = 5 * 1024 * 1024;
    const filled = (start: string, piece: string): Buffer =>
      Buffer.from(start + piece.repeat(Math.ceil(size / piece.length)));
    const long = `[${'1'.repeat(17)} `;
    const begun = processorMs();
    for (const piece of [
      '\\"',
      '"',
      '\\',
      'a"',
      '"\\',
      '1',
      '-',
      '1'.repeat(16) + '.',
      ' ',
      '\\\\"',
    ])
      expect(() => parseJson(filled(long, piece))).toThrow('not JSON');
    for (const piece of ['1', ' ', '-1 ']) expect(() => parseJson(filled('[', piece))).toThrow();
    // If the work is not linear, it takes minutes.
    expect(processorMs() - begun).toBeLessThan(15_000);
  });

  it.each([[Buffer.from('{"a":')], [Buffer.from([0x22, 0xff, 0x22])]])('or is refused', (body) => {
    expect(() => parseJson(body)).toThrow(/not (?:JSON|UTF-8)/);
  });
});

/** Quotes numbers of sixteen digits and more, as the parser does. */
function quoted(value: unknown): unknown {
  if (typeof value === 'number' && /^-?\d{16,}$/.test(JSON.stringify(value)))
    return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(quoted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, quoted(each)] as const);
  return Object.fromEntries(entries);
}
