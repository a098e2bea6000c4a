import {
  byOrganization,
  type LeaderElection,
  type Projection,
  type RecordedEvent,
} from '@app/event-store';
import { Backoff, within } from '@app/flow';
import type { WarehouseSchema } from '@app/warehouse';
import type { StreamDeleted } from '../aggregates/stream.aggregate.js';
import { placesForTables, type OrganizationDatabases } from './places-for-tables.js';
import type { OrganizationDeletedData, StreamsProjection } from './streams.projection.js';

interface Place {
  readonly organizationId: string;
  readonly database: string;
  readonly table: string;
}

interface DroppedLog {
  error(details: object, message: string): void;
}

/** An organization's end waits so long for the end of its database. Nobody can use that any more. */
const DROP_MS = 5000;
const BACKOFF_MS = { first: 1000, most: 60_000 };

/**
 * Drops the tables and databases of deleted streams and organizations. It runs after the catalog,
 * so nobody finds the stream any more, and data that is written there afterwards is known to be
 * stale. A database that the engine does not drop soon is dropped in the background, so that its
 * end holds up nothing. The next start does the work that a crash left undone, here and in the
 * projection of the tables.
 */
export class DroppedTablesProjection implements Projection {
  readonly name = 'dropped-tables';
  readonly lanes = byOrganization;
  private live = false;
  private isOwed = false;
  private readonly places = placesForTables();
  private readonly dropping = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  /** Tells where each stream is, kept for the moment in which the catalog has forgotten it. */
  private readonly placed = new Map<string, Place>();

  constructor(
    private readonly schema: WarehouseSchema,
    private readonly streams: StreamsProjection,
    private readonly organizations: OrganizationDatabases,
    private readonly lead: LeaderElection,
    private readonly log: DroppedLog,
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
    const place = this.placed.get(id);
    if (!place) return;
    if (this.lead.isLeading)
      await this.places.run(async () => {
        await this.schema.dropStreamTable(place, id);
        await this.schema.dropRejected(place.database, id);
      }, this.organizations.shareOf(place.database));
    this.placed.delete(id);
  }

  async caughtUp(): Promise<void> {
    for (const { id } of this.streams.all()) this.remember(id);
    if (await this.lead.confirm()) await this.dropLeftovers();
    else this.lead.whenTaken(() => this.dropLeftovers());
    this.live = true;
  }

  /** Ends what is done in the background. The next start does what is left. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.dropping);
  }

  private async dropOrganization({
    organizationId,
    database,
  }: OrganizationDeletedData): Promise<void> {
    if (this.lead.isLeading) {
      const dropping = this.drop(database).finally(() => this.dropping.delete(dropping));
      this.dropping.add(dropping);
      await within(DROP_MS, dropping, () => undefined);
    } else this.owe();
    for (const [id, place] of this.placed)
      if (place.organizationId === organizationId) this.placed.delete(id);
  }

  private async drop(database: string): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(BACKOFF_MS);
    while (!signal.aborted) {
      try {
        await this.places.run(async () => {
          // There may have been no place until it ended.
          if (!signal.aborted) await this.schema.dropDatabase(database);
        }, this.organizations.shareOf(database));
        return;
      } catch (error) {
        const message = 'the database of a deleted organization is still there; it is tried again';
        this.log.error({ err: error, database }, message);
      }
      await backoff.wait(signal);
    }
  }

  /** The process that leads may end before it has dropped a database. */
  private owe(): void {
    if (this.isOwed) return;
    this.isOwed = true;
    this.lead.whenTaken(() => this.dropDatabases());
  }

  private async dropDatabases(): Promise<void> {
    // A database whose end comes from now on is owed anew.
    this.isOwed = false;
    const { deletedDatabases } = this.streams;
    for (const database of await this.schema.databases())
      if (deletedDatabases.has(database)) await this.schema.dropDatabase(database);
  }

  private async dropLeftovers(): Promise<void> {
    await this.dropDatabases();
    for (const database of this.organizations.databases()) {
      for (const id of await this.schema.rejectedStreams(database))
        if (this.streams.isDeleted(id)) await this.schema.dropRejected(database, id);
    }
  }

  private remember(id: string): void {
    const stream = this.streams.byId(id);
    if (!stream) return;
    const { organizationId, database, name: table } = stream;
    this.placed.set(id, { organizationId, database, table });
  }
}
