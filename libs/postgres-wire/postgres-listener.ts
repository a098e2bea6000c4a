import { createServer, type Server, type Socket } from 'node:net';
import { listen, type ListenAddress } from '@app/http';
import type { Logger } from '@app/platform';
import { CatalogPostgres } from './catalog/catalog-postgres.js';
import { Answering, type Answerers } from './session/answering.js';
import { Connection } from './session/connection.js';
import { Connections } from './session/connections.js';

/** An address at which clients of PostgreSQL ask. */
export class PostgresListener {
  private readonly connections = new Connections();
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
    this.connections.stop();
    await closed;
    await this.answerers.postgres.close();
  }

  private accept(socket: Socket): void {
    const { connections, answerers, logger } = this;
    if (connections.isCrowded) return void socket.destroy();
    const key = connections.newKey();
    const connection = new Connection(socket, {
      door: answerers.door,
      answering: (user, database) => new Answering(answerers, user, database),
      connections,
      logger,
      key,
    });
    connections.add(key, connection);
    socket.once('close', () => connections.delete(key));
    void connection.serve();
  }
}
