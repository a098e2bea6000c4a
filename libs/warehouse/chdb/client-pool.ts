import type { ClickHouseClient } from '@clickhouse/client';
import type { SqlRunner } from '../sql/sql-runner.js';
import { toWarehouseError } from '../warehouse-errors.js';
import type { Pool } from './pool.js';

/** Clients that each do one thing at a time; failures come as {@link WarehouseError}. */
export class ClientPool implements SqlRunner {
  constructor(private readonly clients: Pool<ClickHouseClient>) {}

  async command(query: string): Promise<void> {
    try {
      await this.clients.use((client) => client.command({ query }));
    } catch (error) {
      throw toWarehouseError(error);
    }
  }

  /** Rows of a small result. */
  async rows<Row>(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
    try {
      return await this.clients.use(async (client) => {
        const result = await client.query({ query, format: 'JSONEachRow', query_params: params });
        return result.json<Row>();
      });
    } catch (error) {
      throw toWarehouseError(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.all().map((client) => client.close()));
  }
}
