import type { NotUnderstood } from '@app/event-store';
import type { TableHealth, WarehouseSchema, WarehouseTable } from '@app/warehouse';
import { nameOf } from './missing-tables.js';
import type { OrganizationDatabases } from './places-for-tables.js';
import { UnknownTableError } from './unknown-table.js';
import type { StreamsProjection } from './streams.projection.js';

/** The tables that the warehouse had before the events were read, compared with the events. */
export class FoundTables {
  private found: readonly WarehouseTable[] = [];

  constructor(
    private readonly schema: WarehouseSchema & Pick<TableHealth, 'asideTables'>,
    private readonly streams: StreamsProjection,
    readonly organizations: OrganizationDatabases,
    private readonly notUnderstood: Pick<NotUnderstood, 'has'> = { has: () => false },
  ) {}

  /** Reads the list from the warehouse, before other processes create more. */
  async look(): Promise<void> {
    this.found = await this.schema.tables();
  }

  forget(): void {
    this.found = [];
  }

  all(): readonly WarehouseTable[] {
    return this.found;
  }

  /** The names of tables that are there, and cannot be loaded. */
  aside(): ReadonlySet<string> {
    return new Set(this.schema.asideTables().map(nameOf));
  }

  /** Tells whether a stream's table cannot be loaded. The engine may lose it in a restart of its own. */
  isAside({ database, name }: { readonly database: string; readonly name: string }): boolean {
    const aside = this.schema.asideTables();
    return aside.some((each) => each.database === database && each.table === name);
  }

  /** Gives the tables of streams. Our own tables begin with an underscore, which no stream does. */
  ofStreams(): readonly WarehouseTable[] {
    const known = new Set(this.organizations.databases());
    return this.found.filter(
      ({ database, table }) => !table.startsWith('_') && known.has(database),
    );
  }

  /**
   * A table that nobody deleted is never dropped, least of all because a history is missing.
   * @throws {UnknownTableError} when no event tells of one
   */
  refuseUnknown(): void {
    for (const table of this.ofStreams()) {
      const { streamId } = table;
      const stream = this.streams.byId(streamId);
      const isOf = stream && nameOf({ ...stream, table: stream.name }) === nameOf(table);
      const isKnown = isOf || this.streams.isDeleted(streamId) || this.isAhead(streamId);
      if (!isKnown) throw new UnknownTableError(nameOf(table));
    }
  }

  /**
   * Tells whether an event of the stream is not understood. A change that the event made must not
   * be undone.
   */
  isAhead(streamId: string): boolean {
    return this.notUnderstood.has(`stream-${streamId}`);
  }
}
