import fc from 'fast-check';
import { likelyDelimiter } from '@app/warehouse';
import { columnNames } from './csv-header.js';

describe('the header of a CSV', () => {
  it.each([
    ['a,b;c,d', ','],
    ['a;b;c,d', ';'],
    ['a\tb', '\t'],
    ['a|b|c', '|'],
    ['alone', ','],
    ['"a;b;c",d', ','],
    ['"a ""x;y;z""",b', ','],
    ['', ','],
  ])('%j has the delimiter %j', (line, delimiter) => {
    expect(likelyDelimiter(line)).toBe(delimiter);
  });

  it.each([
    ['a,b', ['a', 'b']],
    [' a , "b ""x""" ', ['a', 'b "x"']],
    [' a , b ""x""', ['a', 'b ""x""']],
    ['"a,b",c', ['a,b', 'c']],
    [',,', ['column_1', 'column_2', 'column_3']],
    ['a,a,a_2,a', ['a', 'a_2', 'a_2_2', 'a_3']],
  ])('%j names %j', (line, names) => {
    expect(columnNames(line, ',')).toEqual(names);
  });

  it('gives each field a name of its own', () => {
    const name = fc.constantFrom('', 'a', 'b', 'a_2', 'column_1', ' ');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 12 }), (fields) => {
        const names = columnNames(fields.join(','), ',');
        expect(names).toHaveLength(fields.length);
        expect(new Set(names).size).toBe(names.length);
        expect(names).not.toContain('');
      }),
    );
  });

  it('has as many columns as a stream can have', () => {
    const line = (count: number): string =>
      Array.from({ length: count }, (_, n) => `c${n}`).join(',');
    expect(columnNames(line(2000), ',')).toHaveLength(2000);
    expect(() => columnNames(line(2001), ',')).toThrow(/2001 columns/);
  });
});
