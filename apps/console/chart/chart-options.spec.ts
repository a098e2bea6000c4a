import type uPlot from 'uplot';
import { chartOptions, type Kind } from './chart-options.js';

const HOUR_S = 3600;
const library = {} as typeof uPlot;
const look = { ink: () => '', width: 100, height: 100 };

describe('the time that a chart shows', () => {
  const rangeOf = (kind: Kind, x: readonly number[]) => {
    const data = { x, isTime: true, categories: undefined, series: [] };
    const { range } = chartOptions(library, data, { ...look, kind }).scales?.['x'] ?? {};
    const [first = 0, last = 0] = [x[0], x.at(-1)];
    return typeof range === 'function' ? range({} as uPlot, first, last, 'x') : undefined;
  };

  it('is an hour around a time that stands alone, and no years', () => {
    expect(rangeOf('line', [HOUR_S])).toEqual([HOUR_S / 2, (HOUR_S * 3) / 2]);
    expect(rangeOf('area', [HOUR_S])).toEqual([HOUR_S / 2, (HOUR_S * 3) / 2]);
  });

  it('is that of the points where there are several, with room for whole bars', () => {
    expect(rangeOf('line', [0, HOUR_S])).toBeUndefined();
    expect(rangeOf('bars', [0, HOUR_S])).toEqual([-HOUR_S / 2, (HOUR_S * 3) / 2]);
  });
});
