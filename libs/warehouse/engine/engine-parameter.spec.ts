import { boundValue } from './engine-parameter.js';

describe('boundValue', () => {
  it.each([
    ["it's\ta\nb\r\\c\0", "it\\'s\\ta\\nb\\r\\\\c\\0"],
    [-1.5, '-1.5'],
    [true, '1'],
    [['a', "b'c", '\\'], "['a','b\\'c','\\\\']"],
    [[1, 2], '[1,2]'],
    [[], '[]'],
  ])('writes %j', (value, written) => expect(boundValue(value)).toBe(written));
});
