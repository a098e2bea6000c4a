import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const KEEP_ALIVE_MS = 60_000;

/**
 * Sockets for the client, as it makes them itself, but for this: the client takes answers apart
 * where the socket gives them, so an answer that is none of Kafka's (another server has the port
 * now) would be thrown where nobody catches it, and end the process. It is that connection's error.
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
