import type { ClickHouseClient } from '@clickhouse/client';
import { openClient, toServerError, type ServerNode } from '../clickhouse/clickhouse-node.js';
import type { WarehouseError } from '../warehouse-errors.js';
import type { EngineProcess } from './engine-process.js';
import type { Login } from './engine-users.js';

/** How long who asks waits for an engine that is being started. */
const PATIENCE_MS = 10_000;
/** How long after a connection was lost the engine's end may be noticed. */
const NOTICED_MS = 500;

/** The engine's process as a server: of several generations, one after the other. */
export class EngineNode implements ServerNode {
  private opened: { readonly generation: number; readonly client: ClickHouseClient } | undefined;

  constructor(
    private readonly engine: EngineProcess,
    private readonly login: Login,
  ) {}

  async client(): Promise<ClickHouseClient> {
    const { generation, origin, path } = await this.engine.ready(PATIENCE_MS);
    const { opened } = this;
    if (opened?.generation === generation) return opened.client;
    const client = openClient(origin, { pathname: path, ...this.login });
    this.opened = { generation, client };
    void opened?.client.close();
    return client;
  }

  heard(): void {
    // Whether it is there is known by its process.
  }

  isThere(): Promise<boolean> {
    return Promise.resolve(true);
  }

  toError(error: unknown): WarehouseError {
    return toServerError(error, 'the engine');
  }

  readonly lost = async (): Promise<void> => {
    if (this.opened) await this.engine.gone(this.opened.generation, NOTICED_MS);
  };

  async close(): Promise<void> {
    await this.opened?.client.close();
  }
}
