import { withoutEscapes } from './escaped-values.js';

describe('values of a request of ClickHouse', () => {
  it.each([
    ['a', 'a'],
    [String.raw`C:\\dir\tx\ny`, 'C:\\dir\tx\ny'],
    [String.raw`it\'s \"\/\=\0`, 'it\'s "/=\0'],
    [String.raw`\xc3\xa9\x41`, 'éA'],
    [String.raw`\d \N \x4`, String.raw`\d \N \x4`],
    ['a\tb \\', 'a\tb \\'],
  ])('%s is %j', (value, expected) => {
    expect(withoutEscapes('SELECT {a:String}', { a: value })).toEqual({ a: expected });
  });

  it('have escapes of their own within lists, tuples and maps', () => {
    const values = { l: String.raw`['a\'b\\']`, t: String.raw`['a\'b\\']` };
    expect(withoutEscapes('SELECT { l : Array(String) }, {t:Nullable(String)}', values)).toEqual({
      l: values.l,
      t: String.raw`['a'b\']`,
    });
  });
});
