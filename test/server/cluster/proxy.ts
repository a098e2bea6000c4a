import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOK_MS = 250;

/** Stands before API nodes, as the proxy of docker-compose.yml does: each request goes to the next that is ready. */
export class Proxy {
  private ready: readonly URL[];
  private turn = 0;
  private readonly looking: NodeJS.Timeout;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly nodes: readonly URL[],
  ) {
    this.ready = nodes;
    this.looking = setInterval(() => void this.look(), LOOK_MS);
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) =>
      this.pass(incoming, outgoing),
    );
  }

  /** @param port 0: a free one */
  static async start(urls: readonly string[], port = 0): Promise<Proxy> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new Proxy(
      server,
      urls.map((url) => new URL(url)),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    clearInterval(this.looking);
    this.server.close();
    this.server.closeAllConnections();
  }

  private async look(): Promise<void> {
    const asked = await Promise.all(
      this.nodes.map(async (node) => {
        const answer = await fetch(new URL('/readyz', node)).catch(() => undefined);
        await answer?.body?.cancel();
        return answer?.ok === true ? [node] : [];
      }),
    );
    this.ready = asked.flat();
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.turn += 1;
    const node = this.ready[this.turn % this.ready.length];
    if (!node) return refuse(outgoing);
    const { method, url, headers, socket } = incoming;
    const sent = request(
      {
        host: node.hostname,
        port: node.port,
        method,
        path: url,
        headers: { ...headers, 'x-forwarded-for': socket.remoteAddress ?? '' },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => outgoing.destroy());
        answer.pipe(outgoing);
      },
    );
    sent.on('error', () => (outgoing.headersSent ? outgoing.destroy() : refuse(outgoing)));
    outgoing.once('close', () => sent.destroy());
    incoming.pipe(sent);
  }
}

function refuse(outgoing: ServerResponse): void {
  outgoing
    .writeHead(502, { 'content-type': 'application/json' })
    .end('{"code":502,"message":"no node can be reached; try again"}');
}
