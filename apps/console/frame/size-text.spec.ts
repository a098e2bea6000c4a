import { countOf, sizeOf } from './size-text.js';

describe('words for sizes', () => {
  it('count one record, and several', () => {
    expect([0, 1, 10_000].map(countOf)).toEqual(['0 records', '1 record', '10,000 records']);
  });

  it('have the unit that fits', () => {
    expect([0, 132, 497 * 1024, 2 ** 41].map(sizeOf)).toEqual([
      '0 bytes',
      '132 bytes',
      '497.0 KiB',
      '2048.0 GiB',
    ]);
  });
});
