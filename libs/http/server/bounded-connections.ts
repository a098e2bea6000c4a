import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '@app/platform';

const CONNECTIONS_MAX = 16_384;
const TELL_EACH_MS = 60_000;
/** While this share of the connections is without a request, only such ones are ended. */
const SPARE = 1 / 8;
/** So many are ended at a time, since to find them all connections are looked at. */
const ENDED_AT_ONCE = 1 / 256;

interface Connection {
  readonly key: string;
  readonly socket: Socket;
  /** The request that has no complete answer yet. */
  request?: FastifyRequest | undefined;
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
 * other client out. A body may be held back for days. So where nearly all connections have a
 * request, the owner of the most loses some: one organization, or all strangers together.
 * @param tell is called when it happens, at most once a minute
 */
export function boundConnections(fastify: FastifyInstance, most: number, tell: () => void): void {
  const open = new Map<string, Connection>();
  /** Connections without a request, those first that have been so for longest. */
  const idle = new Set<Connection>();
  /** Connections by the sockets of their requests. */
  const known = new WeakMap<Socket, Connection>();
  let told = -Infinity;

  function makeRoom(newest: Connection): void {
    const [longest] = idle;
    if (longest && longest !== newest && idle.size > most * SPARE) {
      // A connection that ends is counted until it has ended, and must not be taken again.
      idle.delete(longest);
      longest.socket.destroy();
      return;
    }
    for (const ended of ofLargestOwner(open, newest, Math.ceil(most * ENDED_AT_ONCE))) {
      ended.socket.destroy();
      open.delete(ended.key);
      idle.delete(ended);
    }
  }

  function connectionOf(socket: Socket): Connection | undefined {
    const connection = known.get(socket) ?? open.get(keyOf(socket));
    if (connection) known.set(socket, connection);
    return connection;
  }

  fastify.server.on('connection', (socket: Socket) => {
    const connection: Connection = { key: keyOf(socket), socket };
    open.set(connection.key, connection);
    idle.add(connection);
    known.set(socket, connection);
    socket.once('close', () => {
      idle.delete(connection);
      if (open.get(connection.key) === connection) open.delete(connection.key);
    });
    if (open.size <= most) return;
    makeRoom(connection);
    if (performance.now() - told < TELL_EACH_MS) return;
    told = performance.now();
    tell();
  });
  fastify.addHook('onRequest', (request, { raw: response }, done) => {
    const connection = connectionOf(request.raw.socket);
    if (connection) {
      connection.request = request;
      idle.delete(connection);
      // The event comes once, and to keep a listener costs less than to take it away.
      response.on('close', () => {
        connection.request = undefined;
        const isOpen = open.get(connection.key) === connection && !connection.socket.destroyed;
        if (isOpen) idle.add(connection);
      });
    }
    done();
  });
}

/**
 * Finds connections of the owner of the most. Strangers lose the oldest ones, since a login is
 * short; an organization loses its last ones, with which it went beyond others.
 */
function ofLargestOwner(
  open: ReadonlyMap<string, Connection>,
  except: Connection,
  count: number,
): readonly Connection[] {
  const owned = new Map<string | undefined, Connection[]>();
  for (const connection of open.values()) {
    if (connection === except) continue;
    const owner = connection.request && ownerOf(connection.request);
    const all = owned.get(owner);
    if (all) all.push(connection);
    else owned.set(owner, [connection]);
  }
  let largest: readonly [string | undefined, readonly Connection[]] = [undefined, []];
  for (const each of owned) if (each[1].length > largest[1].length) largest = each;
  const [owner, all] = largest;
  return owner === undefined ? all.slice(0, count) : all.slice(-count);
}

/** The share that a request counts for; a caller that has not logged in has none. */
function ownerOf(request: FastifyRequest): string | undefined {
  const { organization, caller } = request as Partial<AuthenticatedRequest>;
  return organization?.share ?? caller?.userId;
}

/** Over TLS a request has another socket than its connection, with the same ports. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress ?? ''} ${remotePort ?? ''} ${localPort ?? ''}`;
