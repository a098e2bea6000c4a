import { certain } from './certain.js';

describe('certain', () => {
  it('gives the value back, also where it is empty', () => {
    expect([certain('', 'name'), certain(0, 'place'), certain(false, 'answer')]).toEqual([
      '',
      0,
      false,
    ]);
  });

  it.each([undefined, null])('fails for %s', (none) => {
    expect(() => certain(none, 'name of a node')).toThrow('there is no name of a node');
  });
});
