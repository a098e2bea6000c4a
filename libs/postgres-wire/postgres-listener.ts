import { randomInt } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { listen, type ListenAddress } from '@app/http';
import type { Logger } from '@app/platform';
import { CatalogPostgres } from './catalog/catalog-postgres.js';
import { BOUNDS } from './protocol/postgres-bounds.js';
import type { Answerers } from './session/answering.js';
import { Connection, type CancelKey } from './session/connection.js';

const KEY_BELOW = 2 ** 31;

/** An address at which clients of PostgreSQL ask. */
export class PostgresListener {
  private readonly connections = new Map<number, { readonly secret: number; readonly connection: Connection }>(); // prettier-ignore
  private readonly answerers: Answerers;
  private server: Server | undefined;

  constructor(
    answerers: Omit<Answerers, 'postgres'>,
    private readonly logger: Logger,
  ) {
    this.answerers = { ...answerers, postgres: new CatalogPostgres(logger) };
  }

  /** @throws when the address is taken. @returns its address for people */
  async open(address: ListenAddress): Promise<string> {
    const server = createServer((socket) => this.accept(socket));
    const { authority } = await listen(server, address);
    this.server = server;
    return `postgres://${authority}`;
  }

  async close(): Promise<void> {
    const { server } = this;
    const closed = server && new Promise((resolve) => server.close(resolve));
    for (const { connection } of this.connections.values()) connection.stop();
    await closed;
    await this.answerers.postgres.close();
  }

  private accept(socket: Socket): void {
    // Cancel requests come by connections of their own, and must get through.
    if (this.connections.size >= 2 * BOUNDS.connections) return void socket.destroy();
    const key = this.newKey();
    const connection = new Connection(socket, {
      answerers: this.answerers,
      logger: this.logger,
      key,
      cancel: (asked) => this.cancel(asked),
      isFull: () => this.started() >= BOUNDS.connections,
    });
    this.connections.set(key.process, { secret: key.secret, connection });
    socket.once('close', () => this.connections.delete(key.process));
    void connection.serve();
  }

  private started(): number {
    return [...this.connections.values()].filter(({ connection }) => connection.isStarted).length;
  }

  private newKey(): CancelKey {
    let process = randomInt(1, KEY_BELOW);
    while (this.connections.has(process)) process = randomInt(1, KEY_BELOW);
    return { process, secret: randomInt(KEY_BELOW) };
  }

  private cancel({ process, secret }: CancelKey): void {
    const found = this.connections.get(process);
    if (found?.secret === secret) found.connection.cancel();
  }
}
