import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/**
 * Makes the sockets of the client as the client makes them, except for one thing. The client parses
 * answers where the socket delivers them. Without this, an answer that is not Kafka's (another
 * server has the port now) would raise an error that nobody catches, and end the process. Here it
 * becomes an error of that connection.
 */
export const steadySocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const target = { host, port };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = ssl
    ? connectTls({ ...target, ...servername, ...ssl }, onConnect)
    : connect(target, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  const emit = socket.emit.bind(socket);
  socket.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...rest);
    try {
      return emit(event, ...rest);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      socket.destroy(new Error(`${host}:${port} does not answer as Kafka does: ${reason}`));
      return true;
    }
  };
  return socket;
};
