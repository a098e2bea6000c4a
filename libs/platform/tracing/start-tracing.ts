import { randomUUID } from 'node:crypto';
import type { Logger } from '../logging/logger.js';

interface Tracing {
  /** Sends the remaining traces. */
  stop(): Promise<void>;
}

const NONE: Tracing = { stop: () => Promise.resolve() };

/**
 * Sends traces to a collector by OTLP over HTTP. Without a collector, no code of it is loaded.
 * OpenTelemetry's own variables configure sampling and headers (`OTEL_…`).
 * @param endpoint the collector's address, to which `/v1/traces` is added; undefined: there is none
 * @param service `millrace-api`, or another name of this process
 */
export async function startTracing(
  endpoint: string | undefined,
  service: string,
  logger: Logger,
): Promise<Tracing> {
  if (endpoint === undefined) return NONE;
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const own = resources.resourceFromAttributes({
    'service.name': service,
    'service.instance.id': randomUUID(),
  });
  // The environment's description of the resource comes before our own.
  const said = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new NodeTracerProvider({
    resource: own.merge(said),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return {
    stop: () =>
      provider
        .shutdown()
        .catch((error: unknown) => logger.warn({ err: error }, 'the last traces were not sent')),
  };
}
