import { createClient, type ClickHouseClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import type { SqlRunner } from '../sql/sql-runner.js';
import { toWarehouseError } from '../warehouse-errors.js';
import { isCleared } from './open-sessions.mjs';
import { Pool } from './pool.js';

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

/** Clients that each do one thing at a time; failures come as {@link WarehouseError}. */
export class ClientPool implements SqlRunner {
  /** Up to `size` of them, on the engine that has its data at `path`. */
  static on(path: string, size: number): ClientPool {
    return new ClientPool(
      new Pool(() => createClient({ connection: embeddedConnection(path) }), size),
    );
  }

  private constructor(private readonly clients: Pool<ClickHouseClient>) {}

  command(query: string): Promise<void> {
    return this.use(async (client) => void (await client.command({ query })));
  }

  /** Rows of a small result. */
  rows<Row>(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
    return this.use(async (client) => {
      const result = await client.query({ query, format: 'JSONEachRow', query_params: params });
      return result.json<Row>();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.all().map((client) => client.close()));
  }

  private use<Result>(work: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    return this.clients.use(async (client) => {
      try {
        return await work(client);
      } catch (error) {
        await isCleared((sql) => answer(client, sql));
        throw toWarehouseError(error);
      }
    });
  }
}

async function answer(client: ClickHouseClient, sql: string): Promise<string> {
  return (await client.query({ query: sql, format: 'TabSeparatedRaw' })).text();
}

/** chdb types its connection by its own copy of the client's declarations; the shapes are the same. */
function embeddedConnection(path: string): ClientConnection {
  return createChdbConnection({ path }) as unknown as ClientConnection;
}
