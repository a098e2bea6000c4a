import { chartData } from './chart-series.js';

const lines = (...rows: object[]): string[] => rows.map((row) => JSON.stringify(row));

describe('the series of a chart', () => {
  it('is numbers over time, in order, whatever the order of the rows', () => {
    const data = chartData(
      lines(
        { t: '2026-01-01T01:00:00.000000Z', n: 2, m: null },
        { t: '2026-01-01T00:00:00Z', n: 1, m: 5 },
      ),
    );
    expect(data).toMatchObject({
      x: [1767225600, 1767229200],
      isTime: true,
      series: [
        { name: 'n', y: [1, 2] },
        { name: 'm', y: [5, null] },
      ],
    });
  });

  it('takes a time without a zone for UTC, and a day for its beginning', () => {
    const x = (first: string, second: string) =>
      chartData(lines({ t: first, n: 1 }, { t: second, n: 1 }))?.x;
    expect(x('2026-01-01 00:00:00', '2026-01-01T01:00:00')).toEqual([1767225600, 1767229200]);
    expect(x('2026-01-01', '2026-01-02')).toEqual([1767225600, 1767312000]);
  });

  it('is a series for each word beside a time', () => {
    const day = '2026-01-01';
    const data = chartData(
      lines(
        { t: day, status: 'ok', n: 1 },
        { t: day, status: 'bad', n: 2 },
        { t: '2026-01-02', status: 'ok', n: 3 },
      ),
    );
    expect(data?.series).toEqual([
      { name: 'ok', y: [1, 3] },
      { name: 'bad', y: [2, null] },
    ]);
  });

  it('is numbers over words, or over other numbers', () => {
    const words = chartData(lines({ word: 'a', n: 1 }, { word: 'b', n: 2 }));
    expect(words).toMatchObject({ categories: ['a', 'b'], series: [{ name: 'n', y: [1, 2] }] });
    const numbers = chartData(lines({ a: 3, b: 1 }, { a: 1, b: 2 }));
    expect(numbers).toMatchObject({ x: [1, 3], series: [{ name: 'b', y: [2, 1] }] });
  });

  it('is nothing where there is nothing to draw', () => {
    expect(chartData([])).toBeUndefined();
    expect(chartData(lines({ n: 1 }))).toBeUndefined();
    expect(chartData(lines({ n: 1 }, { n: 2 }))).toBeUndefined();
    expect(chartData(lines({ a: 'x', b: [1] }, { a: 'y', b: [2] }))).toBeUndefined();
  });
});
