import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { trace } from '@opentelemetry/api';
import { createLogger } from '../logging/logger.js';
import { startTracing } from './start-tracing.js';

describe('traces name the process', () => {
  const bodies: string[] = [];
  let collector: Server;

  beforeEach(async () => {
    bodies.length = 0;
    collector = createServer((request, answer) => {
      void text(request).then((body) => {
        bodies.push(body);
        answer.end('{}');
      });
    });
    await once(collector.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    trace.disable();
    jest.restoreAllMocks();
    collector.closeAllConnections();
    await once(collector.close(), 'close');
  });

  it.each([
    ['as its program', undefined, 'millrace-api'],
    ['as OTEL_SERVICE_NAME says', 'orders', 'orders'],
  ])('%s, and each start of it', async (_, said, name) => {
    jest.replaceProperty(process, 'env', said === undefined ? {} : { OTEL_SERVICE_NAME: said });
    const { port } = collector.address() as AddressInfo;
    const tracing = await startTracing(
      `http://127.0.0.1:${port}`,
      'millrace-api',
      createLogger('fatal'),
    );
    trace.getTracer('test').startSpan('work').end();
    await tracing.stop();
    const attributes = new Map(
      bodies
        .map((body) => JSON.parse(body) as Sent)
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ resource }) => resource.attributes)
        .map(({ key, value }) => [key, value.stringValue]),
    );
    expect(attributes.get('service.name')).toBe(name);
    expect(attributes.get('service.instance.id')).toMatch(/^[\da-f-]{36}$/);
  });
});

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { key: string; value: { stringValue: string } }[];
    };
  }[];
}
