import {
  openReconciliation,
  RECONCILIATION,
  TrailHeads,
  type AuditDirectory,
  type ChainKey,
  type ReconciledOrganization,
  type TrailHead,
} from '@app/audit';
import { stepsOf, type EventStore } from '@app/event-store';
import {
  DEFAULT_ORGANIZATION,
  OrganizationsProjection,
  UsersProjection,
  type PersonalData,
} from '@app/identity';
import {
  adoptedSchema,
  adoptedSettings,
  StreamsProjection,
  type StreamDescription,
} from '@app/streams';
import { OperatorError } from '@app/platform';
import {
  AUDIT_TABLE,
  type AsideTable,
  type AuditTables,
  type StreamStatistics,
  type TableHealth,
  type WarehouseSchema,
  type WarehouseTable,
} from '@app/warehouse';
import { lostAccounts, type LostAccount } from './lost-accounts.js';
import { lostEntries, rowsAfter, type LostEntries } from './lost-entries.js';
import { waitingTables, type ReadWaiting, type WaitingTable } from './waiting-tables.js';

/** The stores of an installation, and what is needed to read them. */
export interface Kept {
  readonly events: EventStore;
  readonly warehouse: AuditTables & WarehouseSchema & StreamStatistics & TableHealth;
  readonly people: PersonalData;
  /** The key of the audit trail's hashes. */
  readonly chainKey: ChainKey;
  directory(this: void, models: Models): AuditDirectory;
  /** Reads the batches that are in no table yet, because they are on the queue or set aside. */
  readonly readWaiting: ReadWaiting;
}

/** The read models over all events. */
export interface Models {
  readonly users: UsersProjection;
  readonly organizations: OrganizationsProjection;
  readonly streams: StreamsProjection;
}

/** The difference between the events and the tables of one organization. */
export interface Difference {
  /** It is undefined if no event knows the organization that the database belongs to. */
  readonly id: string | undefined;
  /** The events tell it. If they do not know the organization, its own trail tells it. */
  readonly name: string;
  readonly database: string;
  /** True if it has no database any more. */
  readonly isAway: boolean;
  /** True if it was deleted in the lost time. */
  readonly isDeleted: boolean;
  readonly lost: LostEntries;
  /** The hash of the trail's last entry that has an event. */
  readonly head: string;
  /** The number of entries that the trail lacks although the events are there. */
  readonly missing: number;
  /** The tables of streams that the events do not know, with the number of their rows. */
  readonly unknown: readonly { readonly table: WarehouseTable; readonly rows: number }[];
  /** The tables of batches that wait and whose streams neither the events nor the tables know. */
  readonly waiting: readonly (WaitingTable & { readonly isDeleted: boolean })[];
  /** The streams that were changed in the lost time and differ from their tables. */
  readonly changed: readonly {
    readonly stream: StreamDescription;
    readonly table: WarehouseTable;
  }[];
  /** The streams that have no table. */
  readonly away: readonly { readonly stream: StreamDescription; readonly isDeleted: boolean }[];
}

export interface Look {
  /** The position of the last event before the reconciliation. */
  readonly upTo: bigint;
  /** True if a reconciliation has begun and not ended. */
  readonly isOpen: boolean;
  /** Organizations without a difference are left out. */
  readonly differences: readonly Difference[];
  readonly accounts: readonly LostAccount[];
  /** The number of organizations that this reconciliation has finished. */
  readonly reconciled: number;
  /** The number of batches that wait, about, and were not looked at, since they are too many. */
  readonly unread: number;
  readonly models: Models;
}

/** This is known of an organization before its trail is read. */
interface Place {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly database: string;
}

/** Compares the events with the tables. It changes nothing. */
export async function look(kept: Kept): Promise<Look> {
  const { events, warehouse } = kept;
  refuseAside(warehouse.asideTables());
  const open = await openReconciliation(events);
  const upTo = open ?? (await events.lastPosition()) ?? 0n;
  const models = { users: new UsersProjection(kept.people), organizations: new OrganizationsProjection(), streams: new StreamsProjection() }; // prettier-ignore
  const heads = new TrailHeads(kept.directory(models), kept.chainKey);
  const reconciled = new Set<string>();
  for await (const event of events.readAll()) {
    for (const step of stepsOf(event)) {
      await models.users.apply(step);
      models.organizations.apply(step);
      models.streams.apply(step);
    }
    if (event.position <= upTo) heads.add(event);
    else if (event.stream === RECONCILIATION && event.type === 'OrganizationReconciled')
      reconciled.add((event.data as ReconciledOrganization).organizationId);
  }
  const tables = await warehouse.tables();
  const databases = await warehouse.databases();
  const { deletedDatabases } = models.streams;
  const known: readonly Place[] = models.organizations.list();
  const names = new Set(known.map(({ database }) => database));
  const { tables: waiting, unread } = await waitingTables(kept.readWaiting, models.streams, tables);
  const found = new Set([...databases, ...waiting.map(({ table }) => table.database)]);
  const strange = [...found].filter((each) => !names.has(each) && !deletedDatabases.has(each));
  const places = [...known, ...strange.map((database) => ({ id: undefined, name: undefined, database }))]; // prettier-ignore
  const trails = new Map<string, LostEntries>();
  for (const { id, database } of places) {
    const hasTrail = tables.some(
      (each) => each.database === database && each.table === AUDIT_TABLE,
    );
    const rows = hasTrail ? rowsAfter(warehouse, database, id === undefined ? -1n : upTo) : none();
    trails.set(database, await lostEntries(rows, heads.of(database)));
  }
  const main = models.organizations.find(DEFAULT_ORGANIZATION);
  const home = main && trails.get(main.database);
  const differences: Difference[] = [];
  for (const place of places) {
    if (place.id !== undefined && reconciled.has(place.id)) continue;
    const lost = trails.get(place.database) ?? (await lostEntries(none(), undefined));
    const difference = await differenceOf(kept, place, {
      lost,
      isDeleted: home?.deletedOrganizations.has(place.id ?? '') ?? false,
      isAway: !databases.includes(place.database),
      head: heads.of(place.database),
      tables: tables.filter(({ database }) => database === place.database),
      waiting: waiting.filter(({ table }) => table.database === place.database),
      streams: place.id === undefined ? [] : models.streams.list(place.id),
      deletedStreams: models.streams,
    });
    if (isAny(difference)) differences.push(difference);
  }
  const erased = new Set([...trails.values()].flatMap((each) => [...each.erased]));
  const accounts = lostAccounts(models.users, kept.people, erased);
  return { upTo, isOpen: open !== undefined, differences, accounts, reconciled: reconciled.size, unread, models }; // prettier-ignore
}

/** A table that cannot be loaded is not lost, and nothing may be made or deleted in its stead. */
function refuseAside(tables: readonly AsideTable[]): void {
  const [first] = tables;
  if (first)
    throw new OperatorError(
      `the engine cannot load the table ${first.database}.${first.table}: mend or drop its definition first (docs/operations.md, "Damaged definitions")`,
    );
}

interface Found extends Pick<Difference, 'lost' | 'isDeleted' | 'isAway'> {
  readonly waiting: readonly WaitingTable[];
  readonly head: TrailHead;
  readonly tables: readonly WarehouseTable[];
  readonly streams: readonly StreamDescription[];
  readonly deletedStreams: Pick<StreamsProjection, 'isDeleted'>;
}

async function differenceOf(
  { warehouse }: Kept,
  { id, name, database }: Place,
  { lost, isDeleted, isAway, head, tables, waiting, streams, deletedStreams }: Found,
): Promise<Difference> {
  const hasTrail = tables.some(({ table }) => table === AUDIT_TABLE);
  const { total } = hasTrail
    ? await warehouse.auditPage(database, { offset: 0, limit: 1 })
    : { total: 0 };
  const ofStreams = tables.filter(({ table }) => !table.startsWith('_'));
  const byId = new Map(ofStreams.map((table) => [table.streamId, table]));
  const its = (stream: StreamDescription): WarehouseTable | undefined => {
    const table = byId.get(stream.id);
    return table?.table === stream.name ? table : undefined;
  };
  const theirs = new Set(streams.map(its));
  const unknown = ofStreams.filter(
    (table) => !theirs.has(table) && !deletedStreams.isDeleted(table.streamId),
  );
  const taken = new Set([
    ...streams.map((stream) => stream.name),
    ...unknown.map(({ table }) => table),
  ]);
  const statistics = await warehouse.statistics(
    database,
    unknown.map(({ table }) => table),
  );
  return {
    id,
    name: name ?? lost.founded?.name ?? database,
    database,
    isAway,
    isDeleted,
    lost,
    head: head.hash,
    missing: Math.max(0, head.entries - (total - lost.count)),
    // If another stream has the name, the writer sets the stream's batches aside, as usual.
    waiting: waiting
      .filter(({ table }) => !taken.has(table.table))
      .map((each) => ({
        ...each,
        isDeleted: lost.deletedStreams.has(`stream-${each.table.streamId}`),
      })),
    unknown: unknown.map((table) => ({ table, rows: statistics.get(table.table)?.rows ?? 0 })),
    changed: streams.flatMap((stream) => {
      const table = its(stream);
      const isChanged = table && lost.changedStreams.has(`stream-${stream.id}`);
      if (!isChanged) return [];
      return (adoptedSchema(stream, table) ?? adoptedSettings(stream, table))
        ? [{ stream, table }]
        : [];
    }),
    away: streams
      .filter((stream) => !its(stream))
      .map((stream) => ({ stream, isDeleted: lost.deletedStreams.has(`stream-${stream.id}`) })),
  };
}

const isAny = (difference: Difference): boolean => {
  const { id, isAway, isDeleted, lost, missing, unknown, waiting, away } = difference;
  const things = unknown.length + waiting.length + away.length;
  return id === undefined || isAway || isDeleted || lost.count + missing + things > 0;
};

async function* none(): AsyncIterable<never> {
  // A trail that does not exist has no rows.
}
