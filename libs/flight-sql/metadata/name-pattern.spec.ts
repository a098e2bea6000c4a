import { fitsPattern } from './name-pattern.js';

describe('a pattern of names', () => {
  it.each([
    ['cities', 'cities', true],
    ['cities', '%', true],
    ['', '%', true],
    ['', '', true],
    ['cities', '', false],
    ['cities', 'c%s', true],
    ['cities', 'c_t%i_s', true],
    ['cities', 'c_t_', false],
    ['cities', 'Cities', false],
    ['a.b', 'a_b', true],
    ['aXbXc', 'a%b%c', true],
    ['aXbXcd', 'a%b%c', false],
    ['été', '_t_', true],
  ])('%s fits %s: %s', (name, pattern, fits) => {
    expect(fitsPattern(name, pattern)).toBe(fits);
  });

  it('takes no time beyond its length', () => {
    const began = performance.now();
    expect(fitsPattern('a'.repeat(10_000), '%a'.repeat(400) + 'b')).toBe(false);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(() => fitsPattern('a', '%'.repeat(1001))).toThrow('at most 1000 characters');
  });
});
