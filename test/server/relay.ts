import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface RelayedCall {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
}

export interface Relay {
  readonly url: string;
  /** Calls that were answered, in order. */
  readonly calls: readonly RelayedCall[];
  /** Calls go there from now on; undefined: nobody is there. */
  target: string | undefined;
  /** Decides whose answers break off after their first bytes. */
  breaks: (call: Omit<RelayedCall, 'status'>) => boolean;
  close(): Promise<void>;
}

/** Stands between a client and a server. It writes down the requests, and can act as a bad connection. */
export async function startRelay(target: string): Promise<Relay> {
  const calls: RelayedCall[] = [];
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    target,
    breaks: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    if (relay.target === undefined) {
      outgoing.destroy();
      return;
    }
    const { method = '', url: path = '', headers } = incoming;
    const call = { method, path, body: body.toString() };
    const sent = request(new URL(path, relay.target), { method, headers }, (answer) => {
      void buffer(answer).then((bytes) => {
        const status = answer.statusCode ?? 0;
        calls.push({ ...call, status });
        const kept = { ...answer.headers };
        delete kept['transfer-encoding'];
        outgoing.writeHead(status, kept);
        if (relay.breaks(call)) outgoing.write(bytes.subarray(0, 100), () => outgoing.destroy());
        else outgoing.end(bytes);
      }, outgoing.destroy.bind(outgoing));
    });
    sent.on('error', () => outgoing.destroy());
    sent.end(body);
  }
  return relay;
}
