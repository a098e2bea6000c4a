import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { listen, type ListenAddress } from '@app/http';

const DEFAULT_DATABASE = 'default';
/** A path at which nothing is. */
const NOWHERE = '/clickhouse';

/** An address of its own for clients of ClickHouse that can set no path: the database they name is the organization. */
export class ClickHouseListener {
  private server: Server | undefined;
  private port: number | undefined;

  /**
   * Listens at an address of its own. A request that comes there goes to the server as if it had
   * come to it: the same limits of time, the same certificate, the same end.
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

  /** The path of a request: what has come there means the interface of one organization. */
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

  /** Takes no more connections. @returns when those that there were have ended, as the server ends them. */
  async close(): Promise<void> {
    const { server } = this;
    if (server) await new Promise((resolve) => server.close(resolve));
  }
}
