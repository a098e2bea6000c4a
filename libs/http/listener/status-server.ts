import { createServer, type ServerResponse } from 'node:http';
import { bodyOf, metricsText, MillraceError, type Readiness } from '@app/platform';
import { listen, type ListenAddress } from './listen.js';
import { listenFailure } from './listen-failure.js';

interface StatusServer {
  readonly url: string;
  close(): void;
}

/**
 * `/healthz`, `/readyz` and `/metrics` on a listener of their own, for processes that have no API,
 * and for tools that watch a process that has one. It asks for no credentials, so it belongs into a
 * private network.
 * @throws when the address is taken
 */
export async function openStatusServer(
  address: ListenAddress,
  readiness: Readiness,
): Promise<StatusServer> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', response, readiness).catch((error: unknown) =>
      fail(
        response,
        error instanceof MillraceError
          ? error
          : new MillraceError('INTERNAL', 'this cannot be told just now'),
      ),
    );
  });
  const { authority } = await listen(server, address).catch(listenFailure('MILLRACE_STATUS_ADDR'));
  return {
    url: `http://${authority}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

async function answer(url: string, response: ServerResponse, ready: Readiness): Promise<void> {
  const [path] = url.split('?', 1);
  if (path === '/metrics') {
    const { type, text } = await metricsText();
    response.writeHead(200, { 'content-type': type }).end(text);
    return;
  }
  if (path !== '/readyz' && path !== '/healthz')
    throw new MillraceError('ROUTE_NOT_FOUND', 'here are /healthz, /readyz and /metrics');
  const state = path === '/readyz' ? await ready.check() : { status: 'ok' };
  response.writeHead(200, { 'content-type': JSON_TYPE }).end(JSON.stringify(state));
}

function fail(response: ServerResponse, failure: MillraceError): void {
  response
    .writeHead(failure.status, { 'content-type': JSON_TYPE })
    .end(JSON.stringify(bodyOf(failure)));
}
