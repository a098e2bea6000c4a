import fc from 'fast-check';
import { rounds } from '../../../../test/rounds.js';
import { processorMs } from '../../../../test/processor-time.js';
import { isWellFormed } from '../../../../test/doubles/judge/slow-json.js';
import { namedTwice } from './named-twice.js';

/** A name as JSON, of which some characters are spelled with escapes. */
const spelling = (name: string, escaped: (index: number) => boolean): string => {
  const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index));
  const points = [...name];
  let at = 0;
  const spelled = points.map((point, index) => {
    const own = units.slice(at, at + point.length);
    at += point.length;
    if (!escaped(index)) return JSON.stringify(point).slice(1, -1);
    return own.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
  return `"${spelled.join('')}"`;
};

function isTwice(names: readonly string[]): boolean {
  const bytes = names.map((name) => Buffer.from(name));
  let end = 0;
  const spans = bytes.flatMap(({ length }) => [end, (end += length)]);
  const isEscaped = names.some((name) => name.includes('\\'));
  return namedTwice(Buffer.concat(bytes), spans, isEscaped);
}

describe('the names of an object', () => {
  const name = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom('é', '😀', '/', '\n', 'a', ''),
    )
    .filter((each) => isWellFormed(each));

  it('are told apart however they are spelled', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.array(fc.boolean())), { maxLength: 40 }), (all) => {
        const spelled = all.map(([each, escapes]) =>
          spelling(each, (index) => escapes[index] === true),
        );
        expect(isTwice(spelled)).toBe(new Set(all.map(([each]) => each)).size < all.length);
      }),
      { numRuns: rounds(2000, 100_000) },
    );
  });

  it('cost no more after an object with very many', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `"n${index}"`);
    const few = many.slice(0, 20);
    const timeOf = (): number => {
      const started = processorMs();
      for (let round = 0; round < 20_000; round += 1) isTwice(few);
      return processorMs() - started;
    };
    timeOf();
    const before = timeOf();
    expect(isTwice(many)).toBe(false);
    expect(isTwice([...many, '"n7"'])).toBe(true);
    expect(timeOf()).toBeLessThan(5 * before + 50);
  });
});
