import { message } from '../protobuf/messages.js';
import { shape, type Shape } from '../protobuf/codec.js';
import {
  bool,
  double,
  fixed64,
  hexBytes,
  oneOf,
  sfixed64,
  sint32,
  text,
  uint32,
  uint64,
} from '../protobuf/protobuf-scalars.js';
import { keyValue } from './any-value.js';
import { requestShape, type Attributed, type ExportRequest } from './resource-scope.js';

const TEMPORALITIES = ['UNSPECIFIED', 'DELTA', 'CUMULATIVE'];
const temporality = oneOf(TEMPORALITIES.map((name) => `AGGREGATION_TEMPORALITY_${name}`));

/** A number is sent as one of them. */
const VALUES = ['as_double', 'as_int'];
const EXEMPLAR = shape(
  {
    2: ['time_unix_nano', fixed64],
    3: ['as_double', double],
    4: ['span_id', hexBytes],
    5: ['trace_id', hexBytes],
    6: ['as_int', sfixed64],
    7: ['filtered_attributes', keyValue, 'list'],
  },
  VALUES,
);
const NUMBER = shape(
  {
    2: ['start_time_unix_nano', fixed64],
    3: ['time_unix_nano', fixed64],
    4: ['as_double', double],
    5: ['exemplars', message(EXEMPLAR), 'list'],
    6: ['as_int', sfixed64],
    7: ['attributes', keyValue, 'list'],
    8: ['flags', uint32],
  },
  VALUES,
);
const HISTOGRAM = shape({
  2: ['start_time_unix_nano', fixed64],
  3: ['time_unix_nano', fixed64],
  4: ['count', fixed64],
  5: ['sum', double],
  6: ['bucket_counts', fixed64, 'list'],
  7: ['explicit_bounds', double, 'list'],
  8: ['exemplars', message(EXEMPLAR), 'list'],
  9: ['attributes', keyValue, 'list'],
  10: ['flags', uint32],
  11: ['min', double],
  12: ['max', double],
});
const BUCKETS = shape({ 1: ['offset', sint32], 2: ['bucket_counts', uint64, 'list'] });
const EXPONENTIAL = shape({
  1: ['attributes', keyValue, 'list'],
  2: ['start_time_unix_nano', fixed64],
  3: ['time_unix_nano', fixed64],
  4: ['count', fixed64],
  5: ['sum', double],
  6: ['scale', sint32],
  7: ['zero_count', fixed64],
  8: ['positive', message(BUCKETS)],
  9: ['negative', message(BUCKETS)],
  10: ['flags', uint32],
  11: ['exemplars', message(EXEMPLAR), 'list'],
  12: ['min', double],
  13: ['max', double],
  14: ['zero_threshold', double],
});
const QUANTILE = shape({ 1: ['quantile', double], 2: ['value', double] });
const SUMMARY = shape({
  2: ['start_time_unix_nano', fixed64],
  3: ['time_unix_nano', fixed64],
  4: ['count', fixed64],
  5: ['sum', double],
  6: ['quantile_values', message(QUANTILE), 'list'],
  7: ['attributes', keyValue, 'list'],
  8: ['flags', uint32],
});

const pointsOf = (point: Shape): Shape =>
  shape({
    1: ['data_points', message(point), 'each', 'points'],
    2: ['aggregation_temporality', temporality],
    3: ['is_monotonic', bool],
  });
const METRIC = shape({
  1: ['name', text],
  2: ['description', text],
  3: ['unit', text],
  5: ['gauge', message(pointsOf(NUMBER))],
  7: ['sum', message(pointsOf(NUMBER))],
  9: ['histogram', message(pointsOf(HISTOGRAM))],
  10: ['exponential_histogram', message(pointsOf(EXPONENTIAL)), 'no', 'exponential_histogram'],
  11: ['summary', message(pointsOf(SUMMARY))],
  12: ['metadata', keyValue, 'list'],
});

/** The request of `POST …/v1/metrics`. */
export const METRICS_REQUEST = requestShape(
  ['resource_metrics', 'scope_metrics', 'metrics'],
  message(METRIC),
);

export interface Exemplar {
  readonly timeUnixNano?: bigint;
  readonly asDouble?: number;
  readonly asInt?: bigint;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly filteredAttributes?: readonly string[];
}
export interface Buckets {
  readonly offset?: number;
  readonly bucketCounts?: readonly bigint[];
}
/** The points of every type of metric. Each type has some of these fields. */
export interface DataPoint extends Attributed {
  readonly startTimeUnixNano?: bigint;
  readonly timeUnixNano?: bigint;
  readonly flags?: number;
  readonly asDouble?: number;
  readonly asInt?: bigint;
  readonly count?: bigint;
  readonly sum?: number;
  readonly min?: number;
  readonly max?: number;
  readonly bucketCounts?: readonly bigint[];
  readonly explicitBounds?: readonly number[];
  readonly scale?: number;
  readonly zeroCount?: bigint;
  readonly zeroThreshold?: number;
  readonly positive?: Buckets;
  readonly negative?: Buckets;
  readonly quantileValues?: readonly { readonly quantile?: number; readonly value?: number }[];
  readonly exemplars?: readonly Exemplar[];
}
export interface Points {
  readonly points: Iterable<DataPoint>;
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
}

/** The names for `type`. */
export const TYPES = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const;
export type MetricType = (typeof TYPES)[number];
export type Metric = Partial<Readonly<Record<MetricType, Points>>> & {
  readonly name?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly metadata?: readonly string[];
};
export type MetricsRequest = ExportRequest<Metric>;

/** @returns undefined for a type that is unspecified or unknown */
export const temporalityName = (number = 0): string | undefined =>
  number === 0 ? undefined : TEMPORALITIES[number]?.toLowerCase();
