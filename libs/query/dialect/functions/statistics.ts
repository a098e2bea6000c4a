import type { Aggregate, AggregateFunction } from './aggregate-function.js';

/** A number as a float. The product is an error of texts and times, of which the conversion makes null, or a number. */
export const asNumber = (value: string): string => `toFloat64(multiply(${value}, toFloat64(1)))`;

interface Sample {
  readonly count: string;
  /** Calls one of the engine's functions with the values' distances from their average. */
  readonly of: (name: string) => string;
}

/**
 * The engine adds up powers of the values. If the values are far from 0 and close to each other,
 * that loses all precision, so the average is subtracted first. If all values are equal, the result
 * is null.
 */
const ofOne = (fewest: number, write: (sample: Sample) => string): AggregateFunction => ({
  fewest: 1,
  most: 1,
  write: (aggregate, [x = '']) => {
    const count = aggregate('count', [x]);
    const value = asNumber(x);
    const values = aggregate('groupArray', [value]);
    const average = `arrayWithConstant(length(${values}), arrayReduce('avg', ${values}))`;
    const of = (name: string): string =>
      `arrayReduce('${name}', arrayMap((_each, _average) -> _each - _average, ${values}, ${average}))`;
    const isSame = `${aggregate('min', [value])} = ${aggregate('max', [value])}`;
    return `if(${count} < ${fewest} OR ${isSame}, NULL, ${write({ count, of })})`;
  },
});

/** A pair counts if neither is null. `y` is the dependent variable. */
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
    `if(isNull(${other}), NULL, ${asNumber(value)})`;
  const [ys, xs] = [beside(y, x), beside(x, y)];
  return {
    count: aggregate('count', [ys]),
    x: (name) => aggregate(name, [xs]),
    y: (name) => aggregate(name, [ys]),
    both: (name) => aggregate(name, [ys, xs]),
  };
}

/** The computed variance of equal values may differ a little from 0. */
const isSame = (of: (name: string) => string): string => `(${of('min')} = ${of('max')})`;

const slope = ({ both, x }: Pairs): string =>
  `if(${isSame(x)}, NULL, ${both('covarPopStable')} / ${x('varPopStable')})`;

/** One value is no sample: the engine's result is NaN, the standard's is null. */
const FEWEST_OF_SAMPLE = 2;
const ofSample = (name: string): AggregateFunction => ({
  fewest: 1,
  most: 1,
  write: (aggregate, args) =>
    `if(${aggregate('count', args)} < ${FEWEST_OF_SAMPLE}, NULL, ${aggregate(name, args)})`,
});

/** Deviations of samples, kurtosis, skewness and the regressions of the standard, by what the engine has; by name in lower case. */
export const MOMENTS_AND_REGRESSIONS: Readonly<Record<string, AggregateFunction>> = {
  kurtosis_pop: ofOne(2, ({ of }) => `${of('kurtPop')} - 3`),
  // The results for a sample are corrected for its size, as in DuckDB, pandas and Excel.
  kurtosis: ofOne(
    4,
    ({ of, count: n }) =>
      `(${n} - 1) / ((${n} - 2) * (${n} - 3)) * ((${n} + 1) * (${of('kurtPop')} - 3) + 6)`,
  ),
  skewness: ofOne(
    3,
    ({ of, count: n }) => `sqrt(${n} * (${n} - 1)) / (${n} - 2) * ${of('skewPop')}`,
  ),
  stddev: ofSample('stddevSamp'),
  stddev_samp: ofSample('stddevSamp'),
  variance: ofSample('varSamp'),
  var_samp: ofSample('varSamp'),
  covar_samp: ofPairs(
    ({ both, count }) => `if(${count} < ${FEWEST_OF_SAMPLE}, NULL, ${both('covarSamp')})`,
  ),
  regr_count: ofPairs(({ count }) => count),
  regr_avgx: ofPairs(({ x }) => x('avg')),
  regr_avgy: ofPairs(({ y }) => y('avg')),
  regr_sxx: ofPairs(({ x, count }) => `(${x('varPopStable')} * ${count})`),
  regr_syy: ofPairs(({ y, count }) => `(${y('varPopStable')} * ${count})`),
  regr_sxy: ofPairs(({ both, count }) => `(${both('covarPopStable')} * ${count})`),
  regr_slope: ofPairs(slope),
  regr_intercept: ofPairs((all) => `(${all.y('avg')} - ${slope(all)} * ${all.x('avg')})`),
  // If y is constant, x explains all of it.
  regr_r2: ofPairs(
    ({ both, x, y }) =>
      `multiIf(${isSame(x)}, NULL, ${isSame(y)}, 1, pow(${both('corrStable')}, 2))`,
  ),
};
