import { transactionTimeoutMs } from './transactions.js';

describe('the time that a transaction may take', () => {
  it.each([
    ['a minute, when it is small', 0, 60_000],
    ['longer, when it is large', 64 * 2 ** 20, 60_000 + 256_000],
    ['no longer than brokers allow', 2 ** 40, 900_000],
  ])('is %s', (_, bytes, expected) => {
    expect(transactionTimeoutMs(bytes)).toBe(expected);
  });
});
