import { KeyedMutex } from '@app/flow';
import {
  byOrganization,
  type LeaderElection,
  type Projection,
  type RecordedEvent,
} from '@app/event-store';
import {
  refuses,
  UNTYPED,
  type TableName,
  type WarehouseSchema,
  type WarehouseTable,
} from '@app/warehouse';
import { withPaths, type ObjectColumn } from '../aggregates/object-paths.js';
import { listedColumns } from '../aggregates/stream-schema.js';
import type {
  StreamCreated,
  StreamDeleted,
  StreamSchemaEvolved,
  StreamSettingsChanged,
} from '../aggregates/stream.aggregate.js';
import type { StreamSettings } from '../aggregates/stream-settings.js';
import type { FoundTables } from './found-tables.js';
import { indexed } from './indexed-keys.js';
import { nameOf, tellMissingTables, type MissingTablesLog } from './missing-tables.js';
import { placesForTables } from './places-for-tables.js';
import { StreamsAside } from './streams-aside.js';
import type {
  OrganizationDeletedData,
  StreamDescription,
  StreamsProjection,
} from './streams.projection.js';

/** The fields of identity's event `OrganizationCreated` that matter here. */
interface OrganizationCreatedData {
  readonly database: string;
}

interface TablesLog extends MissingTablesLog {
  error(details: object, message: string): void;
}

/**
 * Creates and changes the warehouse's tables as the events say. While stored events are replayed,
 * nothing is done. When all are known, the engine's tables are compared with the catalog once and
 * repaired, in case a crash left work undone. Then each event is carried out as it comes. It runs
 * before the catalog, so that a stream or column of the catalog is always in the warehouse. Of
 * several processes only the leader does this; another process mends the tables before it takes the
 * lead.
 *
 * A stream whose table the engine refuses to make or change is put aside, by itself: its event
 * counts as carried out for all others, and it is tried again when somebody uses it, and at each
 * start. Where an event of a stream is not understood its table may be ahead of the catalog, and
 * stays.
 */
export class WarehouseTablesProjection implements Projection {
  readonly name = 'warehouse-tables';
  readonly lanes = byOrganization;
  private live = false;
  private readonly aside = new StreamsAside();
  /** Tables of one organization are worked on one after the other. */
  private readonly working = new KeyedMutex();
  private readonly places = placesForTables();
  private readonly mending = new Set<Promise<void>>();

  constructor(
    private readonly schema: WarehouseSchema,
    private readonly streams: StreamsProjection,
    private readonly found: FoundTables,
    private readonly lead: LeaderElection,
    private readonly log: TablesLog,
  ) {}

  /**
   * Every table that exists before the events are read must be in the events, whatever other
   * processes create meanwhile.
   */
  starting(): Promise<void> {
    return this.found.look();
  }

  /** The catalog already has the stored events. */
  resumeAfter(last: bigint): bigint {
    return last;
  }

  async apply(event: RecordedEvent): Promise<void> {
    if (!this.live || !this.lead.isLeading) return;
    switch (event.type) {
      case 'OrganizationCreated':
        return this.createDatabase((event.data as OrganizationCreatedData).database);
      case 'StreamCreated': {
        const created = event.data as StreamCreated['data'];
        if (this.streams.isOrganizationDeleted(created.organizationId)) return;
        return this.carryOut(created, () => this.create(created));
      }
      case 'StreamSchemaEvolved': {
        const data = event.data as StreamSchemaEvolved['data'];
        return this.change(data.id, (table, stream) => this.evolve(table, stream, data));
      }
      case 'StreamSettingsChanged': {
        const { id, settings } = event.data as StreamSettingsChanged['data'];
        return this.change(id, (table, { objects }) => this.configure(table, settings, objects));
      }
      case 'StreamDeleted': {
        const stream = this.streams.byId((event.data as StreamDeleted['data']).id);
        return stream && this.release(stream.database, [stream]);
      }
      case 'OrganizationDeleted': {
        const { organizationId, database } = event.data as OrganizationDeletedData;
        return this.release(database, this.streams.list(organizationId));
      }
      default:
    }
  }

  /** Tells how many streams are put aside. */
  get streamsAside(): number {
    return this.aside.count;
  }

  /**
   * Checks that the stream's table may be used. A table that was put aside some time ago is mended
   * in the background.
   * @throws {MillraceError} NOT_READY while it is
   */
  checkUsable(id: string): void {
    const stream = this.streams.byId(id);
    if (stream && this.found.isAside(stream)) this.aside.keep(id, stream.name);
    if (stream && this.lead.isLeading && this.aside.isDue(id)) {
      const mending = this.mendAgain(stream).finally(() => this.mending.delete(mending));
      this.mending.add(mending);
    }
    this.aside.check(id);
  }

  /** Resolves when no table is mended in the background. */
  async idle(): Promise<void> {
    await Promise.all(this.mending);
  }

  async caughtUp(): Promise<void> {
    this.found.refuseUnknown();
    if (await this.lead.confirm()) await this.mendAll();
    else this.lead.whenTaken(() => this.mendAll());
    this.live = true;
  }

  private async mendAll(): Promise<void> {
    const tables = new Map(this.found.all().map((table) => [nameOf(table), table]));
    for (const database of this.found.organizations.databases())
      await this.createDatabase(database);
    const streams = new Map(
      this.streams.all().map((stream) => [`${stream.database}.${stream.name}`, stream]),
    );
    for (const table of this.found.ofStreams()) {
      if (!this.streams.isDeleted(table.streamId)) continue;
      await this.schema.dropStreamTable(table, table.streamId);
      tables.delete(nameOf(table));
    }
    const aside = this.found.aside();
    const missing = [...streams.keys()].filter((name) => !tables.has(name) && !aside.has(name));
    await tellMissingTables(missing, this.schema, this.log);
    for (const [name, stream] of streams)
      await this.carryOut(stream, () => this.mend(stream, tables.get(name)));
    this.found.forget();
  }

  private async createDatabase(database: string): Promise<void> {
    await this.work(database, async () => {
      await this.schema.createDatabase(database);
      await this.schema.createRejectedTable(database);
    });
  }

  /** When it resolves nothing mends them any more: their tables are dropped next. */
  private async release(database: string, streams: readonly StreamDescription[]): Promise<void> {
    for (const { id } of streams) this.aside.release(id);
    await this.working.run(database, () => Promise.resolve());
  }

  private work(database: string, work: () => Promise<void>): Promise<void> {
    const share = this.found.organizations.shareOf(database);
    return this.working.run(database, () => this.places.run(work, share));
  }

  private async change(
    id: string,
    work: (table: TableName, stream: StreamDescription) => Promise<void>,
  ): Promise<void> {
    const stream = this.streams.byId(id);
    if (!stream) return;
    const { database, name } = stream;
    await this.carryOut(stream, () => work({ database, table: name }, stream));
  }

  /** @throws what the engine may let pass another time. */
  private async carryOut(
    { id, database, name }: Pick<StreamDescription, 'id' | 'database' | 'name'>,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await this.work(database, work);
    } catch (error) {
      if (!refuses(error)) throw error;
      this.aside.put(id, name);
      this.log.error({ err: error, stream: id }, 'a stream is put aside: its table cannot be made');
    }
  }

  /** By then the catalog has all that was carried out for it, whose next event comes after. */
  private async mendAgain({ id, database }: StreamDescription): Promise<void> {
    try {
      await this.work(database, async () => {
        const tables = await this.schema.tables();
        const stream = this.aside.has(id) ? this.streams.byId(id) : undefined;
        if (!stream) return;
        const isIts = (each: TableName): boolean =>
          each.database === database && each.table === stream.name;
        await this.mend(stream, tables.find(isIts));
        this.aside.release(id);
      });
    } catch (error) {
      this.log.error({ err: error, stream: id }, 'a stream is still put aside');
    }
  }

  private async create(created: StreamCreated['data']): Promise<void> {
    const { id, database, name, columns = [], untyped = [], objects = [], settings = {} } = created; // prettier-ignore
    const table = { database, table: name };
    await this.schema.createTable(table, listedColumns({ columns, untyped }), id);
    await this.configure(table, settings, objects);
  }

  private async evolve(
    table: TableName,
    { settings, objects: known }: StreamDescription,
    { added, widened, untyped = [], withdrawn = [], objects = [] }: StreamSchemaEvolved['data'],
  ): Promise<void> {
    if (withdrawn.length > 0) await this.schema.dropUntyped(table, withdrawn);
    await this.schema.addColumns(table, listedColumns({ columns: added, untyped }));
    await this.schema.modifyColumns(table, widened);
    // If values are now read by another type, an old index would not find them. If the column was
    // widened, the index may be missing because an earlier try failed before adding it again.
    const now = withPaths(known, objects);
    const within = objects.flatMap(({ name, paths }) => paths.map(({ path }) => `${name}.${path}`));
    const changed = new Set([...widened.map(({ name }) => name), ...within]);
    const { partitionKeys, fullTextSearchKeys } = settings;
    if ([...partitionKeys, ...fullTextSearchKeys].some((key) => changed.has(key)))
      await this.configure(table, { partitionKeys, fullTextSearchKeys }, now);
  }

  private async configure(
    table: TableName,
    { dataRetention, partitionKeys, fullTextSearchKeys }: Partial<StreamSettings>,
    objects: readonly ObjectColumn[],
  ): Promise<void> {
    if (dataRetention !== undefined) await this.schema.setRetention(table, dataRetention);
    if (partitionKeys !== undefined)
      await this.schema.setSkipIndexes(table, indexed(partitionKeys, objects));
    if (fullTextSearchKeys !== undefined)
      await this.schema.setTextIndexes(table, indexed(fullTextSearchKeys, objects));
  }

  private async mend(
    { id, database, name, settings, ...schema }: StreamDescription,
    actual: WarehouseTable | undefined,
  ): Promise<void> {
    const table = { database, table: name };
    const columns = listedColumns(schema);
    if (actual && this.found.isAhead(id)) return;
    if (!actual) await this.schema.createTable(table, columns, id);
    const types = new Map((actual?.columns ?? columns).map(({ name, type }) => [name, type]));
    const wanted = new Set(columns.map((column) => column.name));
    const untyped = [...types.keys()].filter((column) => types.get(column) === UNTYPED);
    const surplus = untyped.filter((column) => !wanted.has(column));
    if (surplus.length > 0) await this.schema.dropUntyped(table, surplus);
    await this.schema.addColumns(
      table,
      columns.filter(({ name }) => !types.has(name) || types.get(name) === UNTYPED),
    );
    const others = columns.filter(({ name, type }) => {
      const now = types.get(name) ?? UNTYPED;
      // A column that may have values never becomes a field without any.
      return now !== UNTYPED && type !== UNTYPED && now !== type;
    });
    await this.schema.modifyColumns(table, others);
    if ((actual?.retentionDays ?? 0) !== settings.dataRetention)
      await this.schema.setRetention(table, settings.dataRetention);
    if (!sameNames(actual?.skipIndexes, settings.partitionKeys))
      await this.schema.setSkipIndexes(table, indexed(settings.partitionKeys, schema.objects));
    if (!sameNames(actual?.textIndexes, settings.fullTextSearchKeys))
      await this.schema.setTextIndexes(table, indexed(settings.fullTextSearchKeys, schema.objects));
  }
}

const sameNames = (a: readonly string[] = [], b: readonly string[]): boolean =>
  [...a].sort().join('\n') === [...b].sort().join('\n');
