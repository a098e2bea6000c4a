import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A connection to a server that can break as real ones do. Data that has been sent arrives
 * nevertheless.
 */
export class Wire {
  /** The map has each client's connection to the server. */
  private readonly carried = new Map<Socket, Socket>();
  private readonly server: Server;
  private losesAnswers = false;
  private arrived: (() => void) | undefined;

  private constructor(private readonly target: number) {
    this.server = createServer((client) => this.carry(client));
  }

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port);
    wire.server.listen(0, '127.0.0.1');
    await once(wire.server, 'listening');
    return wire;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on a client that waits for an answer is cut off instead. */
  loseAnswers(losesAnswers: boolean): void {
    this.losesAnswers = losesAnswers;
  }

  /** Closes all connections; the server does not notice. */
  cut(): void {
    for (const client of [...this.carried.keys()]) this.lose(client);
  }

  /** Resolves when a client has sent something that is on its way. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => (this.arrived = resolve));
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  /** The fault is the wire's, so the server is not told. */
  private lose(client: Socket): void {
    this.carried.delete(client);
    client.destroy();
  }

  private carry(client: Socket): void {
    const upstream = connect(this.target, '127.0.0.1');
    this.carried.set(client, upstream);
    client.on('data', (bytes) => {
      upstream.write(bytes);
      this.arrived?.();
    });
    upstream.on('data', (bytes) => {
      if (this.losesAnswers) this.lose(client);
      else if (!client.write(bytes)) upstream.pause();
    });
    client.on('drain', () => upstream.resume());
    client.on('close', () => this.carried.get(client)?.destroy());
    client.on('end', () => upstream.end());
    client.on('error', () => undefined);
    upstream.on('close', () => client.destroy());
    upstream.on('error', () => client.destroy());
  }
}
