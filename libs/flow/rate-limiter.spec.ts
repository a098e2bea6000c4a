import { RateLimiter } from './rate-limiter.js';

describe('RateLimiter', () => {
  let time: number;
  const now = (): number => time;
  beforeEach(() => {
    time = 0;
  });

  it('lets a burst through, then what its rate allows', () => {
    const limiter = new RateLimiter({ perSecond: 2, burst: 3 }, now);
    expect([1, 2, 3, 4].map(() => limiter.take('a'))).toEqual([0, 0, 0, 500]);
    time += 500;
    expect([limiter.take('a'), limiter.take('a')]).toEqual([0, 500]);
  });

  it('counts each key for itself', () => {
    const limiter = new RateLimiter({ perSecond: 1 }, now);
    expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 1000, 0]);
  });

  it('has no bound when the rate is 0', () => {
    const limiter = new RateLimiter({ perSecond: 0 }, now);
    expect(Array.from({ length: 100 }, () => limiter.take('a')).every((wait) => wait === 0)).toBe(
      true,
    );
  });

  it('lets a piece above the burst through when there is nothing to pay for', () => {
    const limiter = new RateLimiter({ perSecond: 10, burst: 10 }, now);
    expect(limiter.take('a', 50)).toBe(0);
    expect(limiter.take('a', 1)).toBe(4100);
  });

  it('takes back what was not needed', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 2 }, now);
    expect([limiter.take('a'), limiter.take('a'), limiter.wait('a', 1)]).toEqual([0, 0, 1000]);
    limiter.giveBack('a', 1);
    expect([limiter.take('a'), limiter.wait('a', 1)]).toEqual([0, 1000]);
    limiter.giveBack('never seen', 1);
    time += 10_000;
    limiter.giveBack('a', 1);
    // Nobody gets more than a burst for it.
    expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([0, 0, 1000]);
  });

  it('keeps who pays the most when there are too many keys', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 10 }, now);
    limiter.use('guesser', 1000);
    for (let key = 0; key < 60_000; key += 1) limiter.use(`other ${key}`, 1);
    expect(limiter.wait('guesser', 1)).toBeGreaterThan(900_000);
  });
});
