import { message, readMessage } from '../protobuf/messages.js';
import { shape, type Codec } from '../protobuf/codec.js';
import { decimal } from '../protobuf/decimal.js';
import { LineWriter } from '../protobuf/line.js';
import {
  double,
  int64,
  oneOf,
  sint32,
  sint64,
  text,
  uint32,
  uint64,
} from '../protobuf/protobuf-scalars.js';
import type { Lines } from '../upload/line-uploads.js';

/** The special NaN that Prometheus writes at the end of a series. */
const STALE = 'stale';
const [STALE_HIGH, STALE_LOW] = [0x7ff00000, 0x00000002];

type Value = number | typeof STALE;
const value: Codec<Value> = {
  ...double,
  wire: (reader) => {
    const { message: bytes, pos } = reader;
    const number = reader.double();
    const isStale =
      bytes.readUInt32LE(pos) === STALE_LOW && bytes.readUInt32LE(pos + 4) === STALE_HIGH;
    return isStale ? STALE : number;
  },
};

const TYPES = 'UNKNOWN COUNTER GAUGE HISTOGRAM GAUGEHISTOGRAM SUMMARY INFO STATESET'.split(' ');
const RESETS = ['UNKNOWN', 'YES', 'NO', 'GAUGE'];

/** Field numbers are those of Prometheus' `prompb/types.proto`, version 1 of remote write. */
const LABEL = shape({ 1: ['name', text], 2: ['value', text] });
const SAMPLE = shape({ 1: ['value', value], 2: ['timestamp', int64] });
const EXEMPLAR = shape({
  1: ['labels', message(LABEL), 'list'],
  2: ['value', value],
  3: ['timestamp', int64],
});
const SPAN = shape({ 1: ['offset', sint32], 2: ['length', uint32] });
const HISTOGRAM = shape({
  1: ['count_int', uint64],
  2: ['count_float', double],
  3: ['sum', value],
  4: ['schema', sint32],
  5: ['zero_threshold', double],
  6: ['zero_count_int', uint64],
  7: ['zero_count_float', double],
  8: ['negative_spans', message(SPAN), 'list'],
  9: ['negative_deltas', sint64, 'list'],
  10: ['negative_counts', double, 'list'],
  11: ['positive_spans', message(SPAN), 'list'],
  12: ['positive_deltas', sint64, 'list'],
  13: ['positive_counts', double, 'list'],
  14: ['reset_hint', oneOf(RESETS)],
  15: ['timestamp', int64],
  16: ['custom_values', double, 'list'],
});
const SERIES = shape({
  1: ['labels', message(LABEL), 'list'],
  2: ['samples', message(SAMPLE), 'each'],
  3: ['exemplars', message(EXEMPLAR), 'each'],
  4: ['histograms', message(HISTOGRAM), 'each'],
});
const METADATA = shape({
  1: ['type', oneOf(TYPES)],
  2: ['metric_family_name', text],
  4: ['help', text],
  5: ['unit', text],
});
const WRITE_REQUEST = shape({
  1: ['timeseries', message(SERIES), 'each'],
  3: ['metadata', message(METADATA), 'each'],
});

interface Label {
  readonly name?: string;
  readonly value?: string;
}
interface Sample {
  readonly value?: Value;
  /** Milliseconds since 1970. */
  readonly timestamp?: bigint;
}
interface Exemplar extends Sample {
  readonly labels?: readonly Label[];
}
type Histogram = Readonly<Record<string, unknown>> & {
  readonly timestamp?: bigint;
  readonly sum?: Value;
  readonly resetHint?: number;
};
interface WriteRequest {
  readonly timeseries: Iterable<{
    readonly labels?: readonly Label[];
    readonly samples: Iterable<Sample>;
    readonly exemplars: Iterable<Exemplar>;
    readonly histograms: Iterable<Histogram>;
  }>;
  readonly metadata: Iterable<{
    readonly type?: number;
    readonly metricFamilyName?: string;
    readonly help?: string;
    readonly unit?: string;
  }>;
}

/** One JSON object for each sample, exemplar, histogram and piece of metadata, without its braces. */
export function* sampleLines(body: Buffer): Lines {
  const { timeseries, metadata } = readMessage<WriteRequest>(body, WRITE_REQUEST);
  for (const { labels = [], samples, exemplars, histograms } of timeseries) {
    yield undefined;
    const series = seriesMembers(labels);
    for (const sample of samples) yield begun('sample', sample).members(series).toString();
    for (const exemplar of exemplars) {
      const line = begun('exemplar', exemplar).members(series);
      yield line.json('exemplar_labels', objectOf(exemplar.labels ?? [])).toString();
    }
    for (const histogram of histograms) yield histogramLine(histogram, series);
  }
  for (const { type = 0, metricFamilyName, help, unit } of metadata)
    yield new LineWriter()
      .text('kind', 'metadata')
      .text('name', metricFamilyName)
      .text('type', TYPES[type]?.toLowerCase())
      .text('help', help)
      .text('unit', unit)
      .toString();
}

const NAME = '__name__';
const MILLI = 1_000_000n;

function seriesMembers(labels: readonly Label[]): string {
  // A name that appears twice stays twice among the labels, so its records are rejected.
  const names = labels.filter(({ name }) => name === NAME);
  const series = new LineWriter();
  if (names.length === 1) series.text('name', names[0]?.value);
  const others = names.length === 1 ? labels.filter(({ name }) => name !== NAME) : labels;
  return series.json('labels', objectOf(others)).toString();
}

const objectOf = (labels: readonly Label[]): string =>
  `{${labels.map(({ name = '', value = '' }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

function begun(kind: string, { value, timestamp = 0n }: Sample): LineWriter {
  const line = new LineWriter().instant(timestamp * MILLI).text('kind', kind);
  return writeValue(line, 'value', value ?? 0);
}

/**
 * Writes a number into its column, and NaN and infinities, which have no place in a column of
 * numbers, into an object of their own.
 */
function writeValue(line: LineWriter, name: string, value: Value): LineWriter {
  if (typeof value === 'number' && Number.isFinite(value))
    return line.json(name, columnNumber(value));
  return line.json('not_finite', JSON.stringify({ [name]: String(value) }));
}

const columnNumber = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : decimal(value);

/**
 * Writes the histogram's fields unchanged into an object, because few readers understand spans and
 * deltas.
 */
function histogramLine(histogram: Histogram, series: string): string {
  const { timestamp = 0n, sum = 0, resetHint = 0, ...fields } = histogram;
  const line = new LineWriter().instant(timestamp * MILLI).text('kind', 'histogram');
  writeValue(line, 'sum', sum).members(series);
  const inner = new LineWriter();
  if (resetHint !== 0) inner.text('reset_hint', RESETS[resetHint]?.toLowerCase());
  for (const { definedName, key } of HISTOGRAM.all)
    if (fields[key] !== undefined) inner.json(definedName, written(fields[key]));
  return line.json('histogram', inner.object()).toString();
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : decimal(value);
  return JSON.stringify(value);
}
