import { didYouMean } from './near-name.js';

describe('the name that was meant', () => {
  it.each([
    ['a letter too few', 'lenght', ['strength', 'length', 'left'], 'length'],
    ['a letter too many', 'countt', ['mount', 'count'], 'count'],
    ['another letter', 'sun', ['max', 'sum'], 'sum'],
    ['letters that have changed places, which count once', 'ab', ['cd', 'ba'], 'ba'],
    ['another case', 'TOSTRING', ['toString', 'toStringg'], 'toString'],
    ['the nearest, not the first', 'abcdef', ['abcxyf', 'abcdex'], 'abcdex'],
    ['the first of two that are as near', 'abcd', ['abcx', 'abcy'], 'abcx'],
    ['one that is as it was asked for', 'abc', ['abd', 'abc', 'abe'], 'abc'],
    ['letters beyond ASCII', 'ключи', ['ключ', 'замок'], 'ключ'],
  ])('is found by %s', (_, name, known, meant) => {
    expect(didYouMean(name, known)).toBe(`; did you mean "${meant}"?`);
  });

  it.each([
    ['nothing is near', 'abc', ['xyz', 'abxyz']],
    ['a third of it would have to change', 'abcdef', ['abcxyz', 'abcdefxyz', 'abc']],
    ['nothing is known', 'abc', []],
    ['it is too long to be a slip', 'a'.repeat(129), ['a'.repeat(128)]],
  ])('is not told where %s', (_, name, known) => {
    expect(didYouMean(name, known)).toBe('');
  });
});
