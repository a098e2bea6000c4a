import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { listen, type ListenAddress } from '@app/http';

const DEFAULT_DATABASE = 'default';
/** A path without a route. */
const NOWHERE = '/clickhouse';

/**
 * An address of its own for clients of ClickHouse that cannot set a path: their database's name is
 * the organization.
 */
export class ClickHouseListener {
  private server: Server | undefined;
  private port: number | undefined;

  /**
   * Listens at an address of its own. Its requests are handled as if they had come to the server,
   * with the same time limits, the same certificate and the same shutdown.
   * @throws when the address is taken
   * @returns its address for people
   */
  async open(to: HttpServer, address: ListenAddress): Promise<string> {
    const isTls = to instanceof TlsServer;
    // The sockets have the same options as those of Node's HTTP servers.
    const server = createServer({ allowHalfOpen: !isTls, noDelay: true }, (socket: Socket) => {
      to.emit('connection', socket);
    });
    const { port, authority } = await listen(server, address);
    [this.server, this.port] = [server, port];
    return `${isTls ? 'https' : 'http'}://${authority}`;
  }

  /** The path of a request at this address, in the interface of one organization. */
  pathOf(request: Pick<IncomingMessage, 'url' | 'headers' | 'socket'>): string {
    const { url = '/', headers, socket } = request;
    if (this.port === undefined || socket.localPort !== this.port) return url;
    const [path, ...rest] = url.split('?');
    if (path === '/ping') return '/healthz';
    if (path !== '/') return NOWHERE;
    const parameters = rest.join('?');
    const header = headers['x-clickhouse-database'];
    const named = new URLSearchParams(parameters).get('database') ?? header;
    const database = typeof named === 'string' && named !== '' ? named : DEFAULT_DATABASE;
    return `/api/${encodeURIComponent(database)}/clickhouse?${parameters}`;
  }

  /**
   * Accepts no more connections.
   * @returns when the open ones have ended, as the server ends them.
   */
  async close(): Promise<void> {
    const { server } = this;
    if (server) await new Promise((resolve) => server.close(resolve));
  }
}
