import { rangeBetween, spanOf } from './time-range.js';

const NOW = Date.parse('2026-11-25T12:00:00Z');

describe('a range of time', () => {
  it('ends now, or a moment later', () => {
    expect(spanOf('1h', NOW)).toEqual({ start: NOW + 1000 - 3_600_000, end: NOW + 1000 });
    expect(spanOf('all', NOW)).toEqual({ start: undefined, end: NOW + 1000 });
  });

  it('ends when it says so', () => {
    const range = rangeBetween(NOW - 5000, NOW - 2000);
    expect(range).toBe('2026-11-25T11:59:55.000Z..2026-11-25T11:59:58.000Z');
    expect(spanOf(range, NOW)).toEqual({ start: NOW - 5000, end: NOW - 2000 });
    expect(spanOf('2026-11-01..2026-11-02', NOW)).toEqual({
      start: Date.parse('2026-11-01T00:00:00Z'),
      end: Date.parse('2026-11-02T00:00:00Z'),
    });
  });

  it.each(['', 'toString', '5y', '..', '2026-11-02..2026-11-01', 'yesterday..today'])(
    'is not %j',
    (range) => {
      expect(spanOf(range, NOW)).toBeUndefined();
    },
  );
});
