import type { Projection, RecordedEvent } from '@app/event-store';
import { REJECTED_TABLE, type Column, type WarehouseSchema } from '@app/warehouse';
import type { StreamCreated, StreamSchemaEvolved } from '../aggregates/stream.aggregate.js';
import type { StreamsProjection } from './streams.projection.js';

/** Of identity's event `OrganizationCreated`, what matters here. */
interface OrganizationCreatedData {
  readonly database: string;
}

/**
 * Makes the warehouse's tables what the events say. While stored events are replayed nothing is
 * done; when all are known, the engine's tables are compared with the catalog once and what is
 * missing is mended, whatever a crash left undone. Then each event is carried out as it comes.
 */
export class WarehouseTablesProjection implements Projection {
  readonly name = 'warehouse-tables';
  private live = false;
  private readonly databases = new Set<string>();
  private readonly streamIds = new Set<string>();

  constructor(
    private readonly schema: WarehouseSchema,
    private readonly streams: StreamsProjection,
  ) {}

  async apply(event: RecordedEvent): Promise<void> {
    switch (event.type) {
      case 'OrganizationCreated': {
        const { database } = event.data as OrganizationCreatedData;
        this.databases.add(database);
        if (this.live) await this.createDatabase(database);
        return;
      }
      case 'StreamCreated': {
        const { id, database, name } = event.data as StreamCreated['data'];
        this.streamIds.add(id);
        if (this.live) await this.schema.createTable({ database, table: name }, []);
        return;
      }
      case 'StreamSchemaEvolved':
        if (this.live) await this.evolve(event.data as StreamSchemaEvolved['data']);
        return;
      default:
    }
  }

  async caughtUp(): Promise<void> {
    const tables = await this.schema.allColumns();
    for (const database of this.databases) {
      if (!tables.has(`${database}.${REJECTED_TABLE}`)) await this.createDatabase(database);
    }
    for (const id of this.streamIds) {
      const stream = this.streams.byId(id);
      if (stream) await this.mend(stream, tables.get(`${stream.database}.${stream.name}`));
    }
    this.live = true;
  }

  private async createDatabase(database: string): Promise<void> {
    await this.schema.createDatabase(database);
    await this.schema.createRejectedTable(database);
  }

  private async evolve({ id, added, widened }: StreamSchemaEvolved['data']): Promise<void> {
    const stream = this.streams.byId(id);
    if (!stream) return;
    const table = { database: stream.database, table: stream.name };
    await this.schema.addColumns(table, added);
    for (const column of widened) await this.schema.modifyColumn(table, column);
  }

  private async mend(
    {
      database,
      name,
      columns,
    }: { readonly database: string; readonly name: string; readonly columns: readonly Column[] },
    actual: readonly Column[] | undefined,
  ): Promise<void> {
    const table = { database, table: name };
    if (!actual) return this.schema.createTable(table, columns);
    const types = new Map(actual.map((column) => [column.name, column.type]));
    await this.schema.addColumns(
      table,
      columns.filter((column) => !types.has(column.name)),
    );
    for (const column of columns) {
      const type = types.get(column.name);
      if (type !== undefined && type !== column.type) await this.schema.modifyColumn(table, column);
    }
  }
}
