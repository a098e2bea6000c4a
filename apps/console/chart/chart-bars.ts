import type uPlot from 'uplot';

/** The bars of one point take this share of the distance to the next point. */
const GROUP_PART = 0.7;
const BAR_MAX_PX = 60;
/** uPlot uses this number for values in units of the x scale. */
const IN_UNITS_OF_X = 1;

/** A series has its place among others. */
interface Turn {
  readonly index: number;
  readonly count: number;
}

/**
 * Finds the smallest distance between two points; 1 if there is only one point.
 * @param x in order
 */
export function nearest(x: readonly number[]): number {
  const ways = x.slice(1).map((at, index) => at - (x[index] ?? at));
  return ways.length === 0 ? 1 : Math.min(...ways);
}

/**
 * Bars of several series stand beside each other around their point: drawn over each other, a tall
 * one would hide a short one.
 * @param widest in units of x, as all that is returned
 */
export function besideEachOther(
  x: readonly number[],
  { index, count }: Turn,
  widest: number,
): { readonly begins: number[]; readonly width: number } {
  const width = Math.min((GROUP_PART * nearest(x)) / count, widest);
  const offset = (index - count / 2) * width;
  return { begins: x.map((at) => at + offset), width };
}

/** Draws the bars of one series. @param library is loaded when somebody looks at a chart */
export function barsOf(
  library: typeof uPlot,
  x: readonly number[],
  turn: Turn,
): uPlot.Series.PathBuilder | undefined {
  const places = (chart: uPlot) => {
    const { min = 0, max = 1 } = chart.scales['x'] ?? {};
    const pixels = chart.bbox.width / window.devicePixelRatio;
    return besideEachOther(x, turn, (BAR_MAX_PX * (max - min)) / pixels);
  };
  return library.paths.bars?.({
    size: [1, Infinity],
    disp: {
      x0: { unit: IN_UNITS_OF_X, values: (chart) => places(chart).begins },
      size: { unit: IN_UNITS_OF_X, values: (chart) => [places(chart).width] },
    },
  });
}
