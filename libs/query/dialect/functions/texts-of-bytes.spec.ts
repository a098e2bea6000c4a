import { growth } from '../../../../test/processor-time.js';
import { UNKNOWN } from '../casts/known-type.js';
import { textsOfBytes } from './texts-of-bytes.js';

describe('texts of bytes', () => {
  it('looks for calls in lambdas in time that grows as their length', () => {
    const lambdas = (text: string): unknown => textsOfBytes('arrayMap', [text], () => UNKNOWN);
    const many = (size: number): string => `x -> [${'x -> x, '.repeat(size)}1]`;
    expect(lambdas(many(1))).toEqual([many(1)]);
    expect(growth(lambdas, many, 20_000)).toBeLessThan(3.5);
  });
});
