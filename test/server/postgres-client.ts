import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import type { Edge } from './start-edge.js';
import { until } from './until.js';

/** Clients of PostgreSQL ask here, as the edge program says. */
export function postgresAddress(edge: Edge): { readonly host: string; readonly port: number } {
  const url = /clients of PostgreSQL: postgres:\/\/([\d.]+):(\d+)/.exec(edge.output());
  return { host: url?.[1] ?? '', port: Number(url?.[2]) };
}

/** A connected client of `pg`. The caller ends it. */
export async function postgresClient(
  edge: Edge,
  options: Omit<pg.ClientConfig, 'host' | 'port'> = {},
): Promise<pg.Client> {
  const client = new pg.Client({ ...postgresAddress(edge), user: 'ann', database: 'shop', ...options }); // prettier-ignore
  await client.connect();
  return client;
}

/** A connection of bytes, with the bytes that have come back so far. */
export interface RawConnection {
  readonly socket: Socket;
  received(): Buffer;
  /** Resolves when this stands in what came. */
  heard(text: string): Promise<void>;
  /** Resolves when the server has ended the connection. */
  ended(): Promise<void>;
}

export async function rawConnection(edge: Edge): Promise<RawConnection> {
  const socket = connect(postgresAddress(edge));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  const received = (): Buffer => Buffer.concat(chunks);
  return {
    socket,
    received,
    heard: (text) => until(() => Promise.resolve(received().includes(text))),
    ended: async () => void (await closed),
  };
}

/** A message of the protocol: a type, unless it is the first, its length, and its body. */
export function message(type: string, ...parts: readonly (string | number | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`);
      if (typeof part !== 'number') return part;
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

export const STARTUP = message('', 3 << 16, 'user', 'ann', 'database', 'shop', Buffer.from([0]));
