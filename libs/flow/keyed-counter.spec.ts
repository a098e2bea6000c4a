import { KeyedCounter } from './keyed-counter.js';

describe('KeyedCounter', () => {
  it('counts each key, and all together', () => {
    const counter = new KeyedCounter();
    expect([counter.add('a', 2), counter.add('b', 3), counter.add('a', 1)]).toEqual([2, 3, 3]);
    expect([counter.of('a'), counter.of('b'), counter.of('c'), counter.total]).toEqual([
      3, 3, 0, 6,
    ]);
    expect([counter.add('a', -3), counter.of('a'), counter.total]).toEqual([0, 0, 3]);
  });
});
