import { isOverShare } from './over-share.js';

describe('a fair share of bounded room', () => {
  it.each([1, 2, 3, 10, 99])('leaves some to a new one when %d take what they get', (count) => {
    const most = 1000;
    const taken = Array.from({ length: count }, () => 0);
    const all = (): number => taken.reduce((sum, each) => sum + each);
    for (let took = true; took;) {
      took = false;
      for (const [at, own] of taken.entries()) {
        if (isOverShare(own + 1, all(), most)) continue;
        taken[at] = own + 1;
        took = true;
      }
    }
    expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(1);
    expect(Math.max(...taken)).toBeLessThanOrEqual(Math.ceil(most / (count + 1)));
    expect(isOverShare(1, all(), most)).toBe(false);
  });
});
