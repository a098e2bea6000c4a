import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const CONNECTIONS_MAX = 16_384;
const TELL_EACH_MS = 60_000;

interface Connection {
  readonly socket: Socket;
  /** Requests without a complete answer. */
  requests: number;
}

/**
 * Half of the files that the process may have open: connections are files, too, and without a bound
 * a stranger could leave none for those of uploads.
 */
export function connectionsMax(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, files] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    return Math.min(CONNECTIONS_MAX, Math.floor(Number(files ?? Infinity) / 2));
  } catch {
    // Only Linux tells it in a file.
    return CONNECTIONS_MAX;
  }
}

/**
 * Bounds the open connections. For one too many, the connection ends that has been without a
 * request for longest: so clients that open thousands and send nothing, or half a request, keep no
 * other client out.
 * @param tell is called when it happens, at most once a minute
 */
export function boundConnections(fastify: FastifyInstance, most: number, tell: () => void): void {
  const open = new Map<string, Connection>();
  /** Connections without a request, those first that have been so for longest. */
  const idle = new Map<string, Socket>();
  let told = -Infinity;
  fastify.server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    const connection = { socket, requests: 0 };
    open.set(key, connection);
    idle.set(key, socket);
    socket.once('close', () => {
      if (open.get(key) !== connection) return;
      open.delete(key);
      idle.delete(key);
    });
    if (open.size <= most) return;
    for (const [oldest, without] of idle) {
      // A connection that ends is counted until it has ended, and must not be taken again.
      idle.delete(oldest);
      without.destroy();
      break;
    }
    if (performance.now() - told < TELL_EACH_MS) return;
    told = performance.now();
    tell();
  });
  fastify.addHook('onRequest', ({ raw: request }, { raw: response }, done) => {
    const key = keyOf(request.socket);
    const connection = open.get(key);
    if (connection) {
      connection.requests += 1;
      idle.delete(key);
      response.once('close', () => {
        connection.requests -= 1;
        const isOpen = open.get(key) === connection && !connection.socket.destroyed;
        if (isOpen && connection.requests === 0) idle.set(key, connection.socket);
      });
    }
    done();
  });
}

/** Over TLS a request has another socket than its connection, with the same ports. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress ?? ''} ${remotePort ?? ''} ${localPort ?? ''}`;
