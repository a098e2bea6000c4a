import { WindowLimiter } from './window-limiter.js';

describe('WindowLimiter', () => {
  let time: number;
  let limiter: WindowLimiter;
  beforeEach(() => {
    time = 0;
    limiter = new WindowLimiter({ windowMs: 100, most: 2, keysMax: 3 }, () => time);
  });
  const takes = (key: string, times: number): (number | undefined)[] =>
    Array.from({ length: times }, () => limiter.take(key));

  it('holds a key back after so many in its window, and no other key', () => {
    expect(takes('a', 5)).toEqual([0, 0, undefined, undefined, undefined]);
    expect(takes('b', 1)).toEqual([0]);
  });

  it('tells once, when the next window begins, how often it held back', () => {
    takes('a', 5);
    time = 99;
    expect(takes('a', 1)).toEqual([undefined]);
    time = 100;
    expect(takes('a', 3)).toEqual([4, 0, undefined]);
  });

  it('forgets all keys rather than to remember more than it may', () => {
    for (const key of ['a', 'b', 'c']) takes(key, 3);
    expect(takes('d', 1)).toEqual([0]);
    expect(takes('a', 1)).toEqual([0]);
  });
});
