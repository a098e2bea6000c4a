import { fromZ85 } from './z85.js';

describe('Z85', () => {
  it('is read as its specification shows', () => {
    expect(fromZ85('HelloWorld', 'it').toString('hex')).toBe('864fd26fb559f75b');
    expect(fromZ85('', 'it')).toHaveLength(0);
    expect(fromZ85('%nSc0', 'it').toString('hex')).toBe('ffffffff');
  });

  it.each(['Hell', 'HelloW', 'Hell"', '%nSc1', '#####', 'Hellö'])('is not %s', (text) => {
    expect(() => fromZ85(text, 'it')).toThrow('it is not Z85');
  });
});
