import type { Aggregate, AggregateFunction } from './aggregate-functions.js';

/** Calls of aggregates over one value, of which each has the author's FILTER and OVER. */
interface Sample {
  readonly count: string;
  /** Calls one of the engine's functions of one value. */
  readonly of: (name: string) => string;
}

const ofOne = (write: (sample: Sample) => string): AggregateFunction => ({
  fewest: 1,
  most: 1,
  write: (aggregate, [x = '']) =>
    write({ count: aggregate('count', [x]), of: (name) => aggregate(name, [`toFloat64(${x})`]) }),
});

/** A pair counts where neither is null: `y` is what depends on `x`. */
interface Pairs {
  readonly count: string;
  readonly x: (name: string) => string;
  readonly y: (name: string) => string;
  readonly both: (name: string) => string;
}

const ofPairs = (write: (pairs: Pairs) => string): AggregateFunction => ({
  fewest: 2,
  most: 2,
  write: (aggregate, [y = '', x = '']) => write(pairs(aggregate, y, x)),
});

function pairs(aggregate: Aggregate, y: string, x: string): Pairs {
  const beside = (value: string, other: string): string =>
    `if(isNull(${other}), NULL, toFloat64(${value}))`;
  const [ys, xs] = [beside(y, x), beside(x, y)];
  return {
    count: aggregate('count', [ys]),
    x: (name) => aggregate(name, [xs]),
    y: (name) => aggregate(name, [ys]),
    both: (name) => aggregate(name, [ys, xs]),
  };
}

const slope = ({ both, x }: Pairs): string => `(${both('covarPop')} / nullIf(${x('varPop')}, 0))`;

/** Kurtosis, skewness and the regressions of the standard, by what the engine has; by name in lower case. */
export const MOMENTS_AND_REGRESSIONS: Readonly<Record<string, AggregateFunction>> = {
  kurtosis_pop: ofOne(({ of, count }) => `if(${count} < 2, NULL, ${of('kurtPop')} - 3)`),
  // Those of a sample are corrected for its size, as in DuckDB, pandas and Excel.
  kurtosis: ofOne(
    ({ of, count: n }) =>
      `if(${n} < 4, NULL, (${n} - 1) / ((${n} - 2) * (${n} - 3)) * ((${n} + 1) * (${of('kurtPop')} - 3) + 6))`,
  ),
  skewness: ofOne(
    ({ of, count: n }) =>
      `if(${n} < 3, NULL, sqrt(${n} * (${n} - 1)) / (${n} - 2) * ${of('skewPop')})`,
  ),
  regr_count: ofPairs(({ count }) => count),
  regr_avgx: ofPairs(({ x }) => x('avg')),
  regr_avgy: ofPairs(({ y }) => y('avg')),
  regr_sxx: ofPairs(({ x, count }) => `(${x('varPop')} * ${count})`),
  regr_syy: ofPairs(({ y, count }) => `(${y('varPop')} * ${count})`),
  regr_sxy: ofPairs(({ both, count }) => `(${both('covarPop')} * ${count})`),
  regr_slope: ofPairs(slope),
  regr_intercept: ofPairs((all) => `(${all.y('avg')} - ${slope(all)} * ${all.x('avg')})`),
  // Where y is the same everywhere, x explains all of it.
  regr_r2: ofPairs(
    ({ both, x, y }) =>
      `multiIf(${x('varPop')} = 0, NULL, ${y('varPop')} = 0, 1, pow(${both('corr')}, 2))`,
  ),
};
