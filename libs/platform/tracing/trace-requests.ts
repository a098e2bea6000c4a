import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { traceOf } from './trace.js';

const FAILED = 500;

/** Each request becomes a span, of its client's trace if it brings one (`traceparent`), around all that is done for it. */
export function traceRequests(server: FastifyInstance): void {
  const tracer = trace.getTracer('millrace');
  server.addHook('onRequest', (request, reply, done) => {
    const parent = traceOf(request.headers);
    const route = request.routeOptions.url ?? 'none';
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'millrace.request_id': request.id,
    };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = tracer.startSpan(`${request.method} ${route}`, options, parent);
    reply.raw.once('close', () => {
      span.setAttribute('http.response.status_code', reply.raw.statusCode);
      if (reply.raw.statusCode >= FAILED || !reply.raw.writableFinished)
        span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), done);
  });
}
