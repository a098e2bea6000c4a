import { instant } from './calendar.js';

const DAY_MS = 86_400_000;

describe('instant', () => {
  it('counts every day as Date does', () => {
    const [from, to] = [Date.UTC(100, 0, 1), Date.UTC(2500, 0, 1)];
    const wrong: string[] = [];
    for (let at = from; at < to; at += DAY_MS) {
      const date = new Date(at);
      const day = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()] as const;
      if (instant(day, [23, 59, 58], 'Z') !== at + DAY_MS - 2000) wrong.push(date.toISOString());
    }
    expect(wrong).toEqual([]);
  });
});
