import { decimal } from '../protobuf/decimal.js';
import { LineWriter } from '../protobuf/line.js';
import type { Lines } from '../upload/line-uploads.js';
import { objectOf } from './any-value.js';
import {
  temporalityName,
  TYPES,
  type Buckets,
  type DataPoint,
  type Exemplar,
  type Metric,
  type MetricType,
  type MetricsRequest,
  type Points,
} from './metric-shapes.js';
import { recordsOf, writeAttributes } from './resource-scope.js';

/** Values that protobuf does not send although they have a meaning. */
const ZEROS: Readonly<Record<MetricType, DataPoint>> = {
  gauge: {},
  sum: {},
  histogram: { count: 0n },
  exponential_histogram: { count: 0n, scale: 0, zeroCount: 0n },
  summary: { count: 0n, sum: 0 },
};

/** One JSON object for each data point, without its braces. */
export function* pointLines(request: MetricsRequest): Lines {
  for (const found of recordsOf(request)) {
    yield undefined;
    if (!found) continue;
    const [metric, context] = found;
    for (const type of TYPES) {
      const points = metric[type];
      if (!points) continue;
      const about = metricMembers(metric, type, points);
      for (const point of points.points)
        yield pointMembers({ ...ZEROS[type], ...point })
          .members(about)
          .members(context)
          .toString();
    }
  }
}

function metricMembers(metric: Metric, type: MetricType, points: Points): string {
  const { name, description, unit, metadata } = metric;
  const about = new LineWriter().text('name', name).text('type', type).text('unit', unit);
  about
    .text('description', description)
    .text('aggregation_temporality', temporalityName(points.aggregationTemporality));
  if (type === 'sum') about.json('is_monotonic', String(points.isMonotonic ?? false));
  if (metadata) about.json('metadata', objectOf(metadata));
  return about.toString();
}

function pointMembers(point: DataPoint): LineWriter {
  const line = new LineWriter().time(point.timeUnixNano);
  writeNumbers(line, point);
  const { bucketCounts, explicitBounds, quantileValues, exemplars } = point;
  if (bucketCounts) line.json('bucket_counts', `[${bucketCounts.join(',')}]`);
  if (explicitBounds) line.json('explicit_bounds', `[${explicitBounds.map(decimal).join(',')}]`);
  writeBuckets(line, 'positive', point.positive);
  writeBuckets(line, 'negative', point.negative);
  if (quantileValues)
    line.json(
      'quantile_values',
      `[${quantileValues.map(({ quantile = 0, value = 0 }) => `{"quantile":${decimal(quantile)},"value":${decimal(value)}}`).join(',')}]`,
    );
  if (exemplars) line.json('exemplars', `[${exemplars.map(exemplarObject).join(',')}]`);
  line.integer('start_time_unix_nano', point.startTimeUnixNano);
  line.integer('time_unix_nano', point.timeUnixNano).integer('flags', point.flags);
  writeAttributes(line, point);
  return line;
}

/**
 * Writes numbers into columns, and NaN and infinities, which have no place in a column of numbers,
 * into an object of their own.
 */
function writeNumbers(line: LineWriter, point: DataPoint): void {
  const { asInt, asDouble, count, scale, zeroCount } = point;
  const others = new LineWriter();
  const number = (name: string, value: number | undefined): void => {
    if (value === undefined) return;
    if (Number.isFinite(value)) line.json(name, columnNumber(value));
    else others.json(name, decimal(value));
  };
  number('value', asInt === undefined ? asDouble : Number(asInt));
  if (asInt !== undefined) line.json('value_int', String(asInt));
  if (count !== undefined) line.json('count', String(count));
  number('sum', point.sum);
  number('min', point.min);
  number('max', point.max);
  if (scale !== undefined) line.json('scale', String(scale));
  if (zeroCount !== undefined) line.json('zero_count', String(zeroCount));
  number('zero_threshold', point.zeroThreshold);
  if (others.toString() !== '') line.json('not_finite', others.object());
}

/**
 * A whole number beyond the range in which doubles hold every integer is written as the double that
 * it is.
 */
const columnNumber = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : decimal(value);

function writeBuckets(line: LineWriter, name: string, buckets: Buckets | undefined): void {
  if (!buckets) return;
  const { offset = 0, bucketCounts = [] } = buckets;
  line.json(name, `{"offset":${offset},"bucket_counts":[${bucketCounts.join(',')}]}`);
}

function exemplarObject(exemplar: Exemplar): string {
  const { asInt, asDouble, filteredAttributes } = exemplar;
  const written = new LineWriter().integer('time_unix_nano', exemplar.timeUnixNano);
  if (asInt !== undefined) written.json('value', String(asInt));
  else if (asDouble !== undefined) written.json('value', decimal(asDouble));
  written.text('trace_id', exemplar.traceId).text('span_id', exemplar.spanId);
  if (filteredAttributes) written.json('filtered_attributes', objectOf(filteredAttributes));
  return written.object();
}
