import {
  byOrganization,
  type LeaderElection,
  type Projection,
  type RecordedEvent,
} from '@app/event-store';
import { Semaphore } from '@app/flow';
import type { WarehouseSchema } from '@app/warehouse';
import type { StreamDeleted } from '../aggregates/stream.aggregate.js';
import type { OrganizationDeletedData, StreamsProjection } from './streams.projection.js';

interface Place {
  readonly organizationId: string;
  readonly database: string;
  readonly table: string;
}

/** This many organizations' tables are dropped at the same time. */
const AT_ONCE = 8;

/**
 * Drops the tables and databases of deleted streams and organizations. It runs after the catalog,
 * so nobody finds the stream any more, and data that is written there afterwards is known to be
 * stale. The next start does the work that a crash left undone, here and in the projection of the
 * tables.
 */
export class DroppedTablesProjection implements Projection {
  readonly name = 'dropped-tables';
  readonly lanes = byOrganization;
  private live = false;
  private readonly dropping = new Semaphore(AT_ONCE);
  /** Tells where each stream is, kept for the moment in which the catalog has forgotten it. */
  private readonly places = new Map<string, Place>();

  constructor(
    private readonly schema: WarehouseSchema,
    private readonly streams: StreamsProjection,
    /** The databases of all organizations. */
    private readonly databases: () => readonly string[],
    private readonly lead: LeaderElection,
  ) {}

  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply({ type, stream, data }: RecordedEvent): Promise<void> {
    if (!this.live) return;
    if (type === 'OrganizationDeleted')
      return this.dropOrganization(data as OrganizationDeletedData);
    if (!stream.startsWith('stream-')) return;
    const { id } = data as StreamDeleted['data'];
    if (type !== 'StreamDeleted') return this.remember(id);
    const place = this.places.get(id);
    if (!place) return;
    if (this.lead.isLeading)
      await this.dropping.run(async () => {
        await this.schema.dropStreamTable(place, id);
        await this.schema.dropRejected(place.database, id);
      });
    this.places.delete(id);
  }

  async caughtUp(): Promise<void> {
    for (const { id } of this.streams.all()) this.remember(id);
    if (await this.lead.confirm()) await this.dropLeftovers();
    else this.lead.whenTaken(() => this.dropLeftovers());
    this.live = true;
  }

  private async dropOrganization({
    organizationId,
    database,
  }: OrganizationDeletedData): Promise<void> {
    if (this.lead.isLeading) await this.dropping.run(() => this.schema.dropDatabase(database));
    for (const [id, place] of this.places)
      if (place.organizationId === organizationId) this.places.delete(id);
  }

  private async dropLeftovers(): Promise<void> {
    const { deletedDatabases } = this.streams;
    for (const database of await this.schema.databases())
      if (deletedDatabases.has(database)) await this.schema.dropDatabase(database);
    for (const database of this.databases()) {
      for (const id of await this.schema.rejectedStreams(database))
        if (this.streams.isDeleted(id)) await this.schema.dropRejected(database, id);
    }
  }

  private remember(id: string): void {
    const stream = this.streams.byId(id);
    if (!stream) return;
    const { organizationId, database, name: table } = stream;
    this.places.set(id, { organizationId, database, table });
  }
}
