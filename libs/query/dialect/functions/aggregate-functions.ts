import { MillraceError } from '@app/platform';
import type { AggregateFunction } from './aggregate-function.js';
import { asNumber, MOMENTS_AND_REGRESSIONS } from './statistics.js';

const renamed = (name: string, most = 1): AggregateFunction => ({
  fewest: most,
  most,
  write: (aggregate, args) => aggregate(name, args),
});
const truth = (name: string): AggregateFunction => ({
  fewest: 1,
  most: 1,
  write: (aggregate, args) => `CAST(${aggregate(name, args)}, 'Bool')`,
});
/**
 * `f(x, 0.5)` becomes the engine's `f(0.5)(x)`; with a list of levels it becomes another function.
 */
const quantile = (name: string, value = (x: string): string => x): AggregateFunction => ({
  fewest: 2,
  most: 3,
  write: (aggregate, [x = '', level = '']) => {
    const [, levels] = /^\[([^[\]]*)\]$/.exec(level) ?? [];
    const called = levels === undefined ? `${name}(${level})` : `${name.replace('quantile', 'quantiles')}(${levels})`; // prettier-ignore
    return aggregate(called, [value(x)]);
  },
});
/**
 * The engine's function takes no decimals. Days and times are refused by the multiplication, as the
 * function would refuse them.
 */
const INTERPOLATED = quantile('quantileExactInclusive', (x) => `multiply(${x}, toFloat64(1))`);
/** The first value, in order, up to which there are so many values, as the standard defines it. */
const discrete: AggregateFunction = {
  fewest: 2,
  most: 2,
  write: (aggregate, [x = '', level = '']) => {
    const values = aggregate('groupArray', [x]);
    const place = `toUInt64(greatest(ceil((${level}) * length(${values})), 1))`;
    return `if(empty(${values}), NULL, arrayElement(arraySort(${values}), ${place}))`;
  },
};
const text: AggregateFunction = {
  fewest: 1,
  most: 2,
  write: (aggregate, [x = '', by = "','"]) => aggregate(`groupConcat(${by})`, [x]),
};
const BOTH: AggregateFunction = {
  fewest: 2,
  most: 2,
  write: (aggregate, [x = '', y = '']) => aggregate('countIf', [`(${x}) AND (${y})`]),
};

/** The functions by name, in lower case. */
export const AGGREGATE_FUNCTIONS: Readonly<Record<string, AggregateFunction>> = {
  approx_distinct: renamed('uniq'),
  approx_count_distinct: renamed('uniq'),
  approx_median: {
    fewest: 1,
    most: 1,
    write: (aggregate, args) => aggregate('quantileTDigest(0.5)', args),
  },
  approx_percentile_cont: quantile('quantileTDigest'),
  approx_quantile: quantile('quantileTDigest'),
  approx_percentile: quantile('quantileTDigest'),
  approx_quantiles: {
    fewest: 2,
    most: 2,
    write: (aggregate, [x = '', count = '']) => {
      const n = /^\d{1,3}$/.test(count) ? Number(count) : 0;
      if (n < 1) throw new MillraceError('INVALID_SQL', 'approx_quantiles(x, n) wants n written out, from 1 to 999'); // prettier-ignore
      const levels = Array.from({ length: n + 1 }, (_, at) => at / n);
      return aggregate(`quantilesTDigest(${levels.join(', ')})`, [x]);
    },
  },
  approx_percentile_cont_with_weight: {
    fewest: 3,
    most: 3,
    write: (aggregate, [x = '', weight = '', level = '']) =>
      aggregate(`quantileTDigestWeighted(${level})`, [x, `toUInt64(${weight})`]),
  },
  percentile_cont: INTERPOLATED,
  quantile_cont: INTERPOLATED,
  bool_and: truth('min'),
  bool_or: truth('max'),
  every: truth('min'),
  count_if: renamed('countIf'),
  // `count_if(x) FILTER (WHERE y)`. The engine's combinator cannot be applied twice.
  count_ifif: BOTH,
  countifif: BOTH,
  // This is also the engine's own name of `count(x) FILTER (WHERE y)`.
  countif: { fewest: 1, most: 2, write: (aggregate, args) => aggregate('countIf', args) },
  arbitrary: renamed('any'),
  fsum: renamed('sumKahan'),
  percentile_disc: discrete,
  quantile_disc: discrete,
  product: {
    fewest: 1,
    most: 1,
    write: (aggregate, [x = '']) => {
      const values = aggregate('groupArray', [asNumber(x)]);
      return `if(empty(${values}), NULL, arrayProduct(${values}))`;
    },
  },
  string_agg: text,
  listagg: text,
  // The engine's function has no default separator.
  group_concat: text,
  list: renamed('groupArray'),
  arg_max: renamed('argMax', 2),
  arg_min: renamed('argMin', 2),
  max_by: renamed('argMax', 2),
  min_by: renamed('argMin', 2),
  first: renamed('any'),
  last: renamed('anyLast'),
  ...MOMENTS_AND_REGRESSIONS,
  mode: {
    fewest: 1,
    most: 1,
    write: (aggregate, args) => {
      const values = aggregate('topK(1)', args);
      return `if(empty(${values}), NULL, arrayElement(${values}, 1))`;
    },
  },
};

/** `sumDistinctIf` is `sum` with its combinators. */
export function aggregateName(lower: string): readonly [string, string] {
  if (Object.hasOwn(AGGREGATE_FUNCTIONS, lower)) return [lower, ''];
  const [, base = lower, distinct = '', filter = ''] = /^(.*?)(distinct)?(if)?$/.exec(lower) ?? [];
  return [base, `${distinct && 'Distinct'}${filter && 'If'}`];
}

/**
 * The engine's spelling of a function that is written in another case, which it knows in one case
 * alone where a combinator follows, as `medianIf`.
 */
export function spelledName(
  name: string,
  spelling: (name: string) => string | undefined,
): string | undefined {
  const own = spelling(name);
  const [base, combinators] = aggregateName(name.toLowerCase());
  if (own !== undefined || combinators === '') return own;
  const spelled = spelling(name.slice(0, base.length));
  return spelled === undefined ? undefined : spelled + combinators;
}
