import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { MillraceError } from '../errors/errors.js';

/** Identifies a place in a trace, to continue the trace elsewhere. */
export type TraceContext = Context;

interface SpanOptions {
  readonly attributes?: Attributes;
  /** `producer` and `consumer` have a queue between them. Default: within this process. */
  readonly kind?: 'internal' | 'client' | 'producer' | 'consumer';
  /** Default: the active span. */
  readonly parent?: TraceContext;
  /** Further traces that the work belongs to. */
  readonly links?: readonly TraceContext[];
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Does nothing unless {@link startTracing} was called with a collector. */
const tracer = () => trace.getTracer('millrace');

/** Runs work as a span of its own. If the work throws, the span is marked so. */
export function traced<Result>(
  name: string,
  work: () => Promise<Result>,
  { attributes = {}, kind = 'internal', parent = context.active(), links = [] }: SpanOptions = {},
): Promise<Result> {
  const options = {
    kind: KINDS[kind],
    attributes,
    links: links.flatMap((link) => {
      const linked = trace.getSpanContext(link);
      return linked ? [{ context: linked }] : [];
    }),
  };
  return tracer().startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      // Messages may contain data of clients; kinds do not.
      const message = error instanceof MillraceError ? error.kind : (error as Error).name;
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Gives the span that is active here, for work that somebody else will do. */
export const currentTrace = (): TraceContext => context.active();

/** The ids of the active span, for a log line; undefined if nothing is traced. */
export function currentIds(): { readonly traceId: string; readonly spanId: string } | undefined {
  const active = trace.getSpanContext(context.active());
  return active && { traceId: active.traceId, spanId: active.spanId };
}

/**
 * Gives the headers (`traceparent`) that go along with work for another process. There are none
 * where nothing is traced.
 */
export function traceHeaders(of: TraceContext = context.active()): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(of, headers);
  return headers;
}

/** @param headers as {@link traceHeaders} gave them, among others */
export function traceOf(headers: Readonly<Record<string, unknown>>): TraceContext {
  return propagation.extract(ROOT_CONTEXT, headers);
}
