import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Holds everything that this process counts and measures, for `/metrics`. A lib declares its
 * instruments beside the code that they measure, and touches them once a batch or a request, never
 * once a record. A label has few values, which are known beforehand: no names of organizations,
 * streams or people.
 */
export const registry = new Registry();

/** The buckets, in seconds: from a cached answer to a query at its time limit. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The number of rows of a batch or a part: from one to those of one insert. */
export const ROW_BUCKETS = [1, 10, 100, 1000, 10_000, 50_000, 100_000, 200_000, 400_000] as const;

interface Description<Label extends string> {
  /** `millrace_…`, with its unit, in Prometheus' manner. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/**
 * @param values the known values of its one label: each exists from the start, so that a rate
 *   includes the first count
 */
export function counter<Label extends string = never>(
  about: Description<Label> & { readonly collect?: () => void },
  values: readonly string[] = [],
): Counter<Label> {
  const made = new Counter({ ...about, labelNames: about.labelNames ?? [], registers: [registry] });
  const [label] = about.labelNames ?? [];
  for (const value of values)
    if (label !== undefined) made.inc({ [label]: value } as Record<Label, string>, 0);
  return made;
}

/** Its buckets are in seconds, unless others are given. */
export function histogram<Label extends string = never>(
  about: Description<Label> & { readonly buckets?: readonly number[] },
): Histogram<Label> {
  const { buckets = SECONDS, labelNames = [], ...rest } = about;
  return new Histogram({ ...rest, labelNames, buckets: [...buckets], registers: [registry] });
}

/** A gauge whose value is read when somebody reads the metrics. */
export function gauge<Label extends string = never>(
  about: Description<Label> & { readonly collect: (gauge: Gauge<Label>) => void | Promise<void> },
): void {
  const { collect, labelNames = [], ...rest } = about;
  new Gauge({
    ...rest,
    labelNames,
    registers: [registry],
    collect() {
      return collect(this);
    },
  });
}

/**
 * Registers memory, processor, event loop and garbage collection of this process. It must be called
 * once.
 */
export function measureProcess(): void {
  collectDefaultMetrics({ register: registry });
}

/** All metrics in Prometheus' text format. */
export async function metricsText(): Promise<{ readonly type: string; readonly text: string }> {
  return { type: registry.contentType, text: await registry.metrics() };
}
