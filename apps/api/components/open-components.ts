import { join } from 'node:path';
import {
  AuditTrailProjection,
  EndedTrailsProjection,
  FollowLeaderProjection,
  measureLeadership,
  refuseLostTime,
  refuseOlderWarehouse,
  TrailLeaderElection,
  type AuditDirectory,
  type LeaderRank,
} from '@app/audit';
import {
  CommandPace,
  CommandPipeline,
  measureNotOurs,
  measureNotUnderstood,
  measureProjections,
  Projector,
  SnapshotFiles,
  type Projection,
} from '@app/event-store';
import {
  EndedSessionsProjection,
  InvitationsProjection,
  OrganizationsProjection,
  UsersProjection,
} from '@app/identity';
import { measureQueue } from '@app/ingest-queue';
import { ENGINE_SLOTS } from '@app/acceptance';
import { refuseHalfRestored } from '@app/backup';
import { measureStorage, Spool, StorageBounds } from '@app/intake';
import { openDeadLetter, type DeadLetter } from '@app/writer';
import { keepPrivate } from '@app/files';
import { endWithin, measureProcess, measureReadiness, Readiness, type Logger } from '@app/platform';
import type { Config } from '@app/config';
import type { Catalog } from '@app/query';
import { STORED_EVENTS } from '@app/stored-events';
import {
  DamagedTables,
  DroppedTablesProjection,
  FoundTables,
  ForgottenBatchesProjection,
  KeptRowCounts,
  StreamsProjection,
  WarehouseTablesProjection,
} from '@app/streams';
import { openWarehouse, type LocalEngine, type Warehouse } from '@app/warehouse';
import { AccountsDirectory } from './accounts-directory.js';
import { auditKey } from './audit-key.js';
import { engineBackupFolder } from '../backups/engine-backup-folder.js';
import { openEvents, type Events } from './open-events.js';
import { openQueue, type OpenQueue } from './open-queue.js';
import { StreamCatalog } from './stream-catalog.js';
import { tellOfEngine } from './tell-of-engine.js';
import { tellOfLostKeys } from './tell-of-lost-keys.js';

/** The stores and the read models over them. They are open, and have not caught up yet. */
export interface Stores extends Events {
  readonly config: Config;
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
  readonly snapshots: SnapshotFiles;
  readonly users: UsersProjection;
  readonly organizations: OrganizationsProjection;
  readonly invitations: InvitationsProjection;
  readonly endedSessions: EndedSessionsProjection;
  readonly streams: StreamsProjection;
  readonly tables: WarehouseTablesProjection;
  readonly directory: AuditDirectory;
  readonly lead: TrailLeaderElection;
  readonly auditTrail: AuditTrailProjection;
  readonly deadLetter: DeadLetter;
  /** The order is the one in which they get each event. */
  readonly projections: readonly Projection[];
  close(): Promise<void>;
}

/** Everything the modules are built on, opened and caught up. */
export interface Components extends Stores, OpenQueue {
  readonly logger: Logger;
  readonly projector: Projector;
  readonly commands: CommandPipeline;
  readonly catalog: Catalog;
  readonly spool: Spool;
  readonly storage: StorageBounds;
  readonly readiness: Readiness;
  readonly damaged: DamagedTables;
}

/** Client queries that run at once in this process. */
const READERS = 8;
/** Tells how long the engine may take to end. */
const ENGINE_ENDS_MS = 5000;

interface Terms {
  /** Tells where the embedded engine may make backups of its tables; undefined: nowhere. */
  readonly backups?: string | undefined;
  /** True if no other process uses the same stores. That is always so if they are embedded. */
  readonly isAlone?: boolean;
}

/**
 * Chooses and opens the adapters that the configuration names.
 * @throws when the data directory is in use
 */
export async function openStores(
  config: Config,
  logger: Logger,
  { backups, isAlone }: Terms = {},
): Promise<Stores> {
  const at = (name: string): string => join(config.dataDirectory, name);
  keepPrivate(config.dataDirectory, logger);
  refuseHalfRestored(config.dataDirectory);
  // The engine opens first because it locks the data directory.
  const { warehouse, localEngine } = await openWarehouse({
    directory: at('warehouse'),
    clickHouse: config.clickHouse,
    limits: config.query,
    readers: READERS,
    acceptors: ENGINE_SLOTS.small + ENGINE_SLOTS.large,
    files: [at('spool')],
    memoryBytes: config.engineMemoryBytes,
    backups: backups === undefined ? undefined : { folder: backups, mayWrite: true },
    tell: (event) => tellOfEngine(event, logger),
  });
  const opened = await openEvents(config, warehouse, logger, isAlone).catch(
    async (error: unknown) => {
      // An engine that is left open would keep the process alive.
      await warehouse.close();
      throw error;
    },
  );
  const { events, notUnderstood, serverKey, people } = opened;
  const users = new UsersProjection(people);
  const organizations = new OrganizationsProjection();
  const invitations = new InvitationsProjection(people, users);
  const endedSessions = new EndedSessionsProjection();
  const streams = new StreamsProjection();
  const directory = new AccountsDirectory(users, organizations, people, notUnderstood, streams);
  const lead = new TrailLeaderElection(warehouse, { rank: leaderRank(config) });
  const following = new FollowLeaderProjection(lead, directory);
  const found = new FoundTables(warehouse, streams, directory, notUnderstood);
  const tables = new WarehouseTablesProjection(warehouse, streams, found, lead, logger);
  const dropped = new DroppedTablesProjection(warehouse, streams, directory, lead, logger);
  const deadLetter = openDeadLetter(config.dataDirectory);
  const forgotten = new ForgottenBatchesProjection(streams, deadLetter);
  const chainKey = auditKey(serverKey);
  const auditTrail = new AuditTrailProjection(warehouse, directory, chainKey, lead, {
    log: logger,
  });
  return {
    ...opened,
    config,
    warehouse,
    localEngine,
    snapshots: new SnapshotFiles(at('snapshots'), STORED_EVENTS.names),
    users,
    organizations,
    invitations,
    endedSessions,
    streams,
    tables,
    directory,
    lead,
    auditTrail,
    deadLetter,
    // Tables are made before the catalog knows of them, and dropped after it has forgotten them.
    projections: [
      users,
      organizations,
      invitations,
      endedSessions,
      following,
      tables,
      streams,
      new EndedTrailsProjection(auditTrail),
      dropped,
      forgotten,
      auditTrail,
    ],
    close: async () => {
      await tables.idle();
      await dropped.stop();
      await events.close();
      // An engine that damage in a part has stopped does not end properly. All that was
      // acknowledged is on disk.
      const callOff = endWithin(ENGINE_ENDS_MS);
      await warehouse.close().finally(callOff);
    },
  };
}

/**
 * A node that has other roles leaves this to the projector, as it leaves the writing to writers.
 */
function leaderRank({ roles }: Config): LeaderRank {
  if (!roles.has('projector')) return 'reserve';
  return roles.size === 1 ? 'projector' : 'equal';
}

/**
 * Compares the ages of the stores before anything follows the events.
 * @throws {Error} if the events are older than the tables made from them, or the tables belong to
 *   other events
 */
export async function refuseOtherAge(stores: Stores): Promise<void> {
  const { events, warehouse: tables, snapshots, auditTrail: trail, config } = stores;
  await refuseLostTime(events, tables, config.eventStore !== undefined);
  await refuseOlderWarehouse({ events, tables, snapshots, trail }, config.clickHouse !== undefined);
}

/** Opens everything and brings the read models up to date. */
export async function openComponents(config: Config, logger: Logger): Promise<Components> {
  const stores = await openStores(config, logger, { backups: engineBackupFolder(config) });
  const projector = new Projector(stores.events, stores.projections, logger, stores.snapshots);
  await refuseOtherAge(stores);
  await projector.start();
  tellOfLostKeys(stores.users, stores.people, logger);
  // Every stream that exists had a queue.
  const hadQueue = stores.streams.all().length > 0;
  const { queue, foreign, held } = await openQueue(config, hadQueue, logger);
  const counts = new KeptRowCounts(join(config.dataDirectory, 'table-rows.json'));
  const organizationOf = (database: string): string | undefined =>
    stores.organizations.list().find((each) => each.database === database)?.name;
  const damaged = new DamagedTables(stores.warehouse, counts, logger, organizationOf);
  await damaged.start();
  const pace = new CommandPace((actor) => stores.users.root()?.id === actor);
  const { minFreeDiskBytes: minFreeBytes } = config.upload;
  const spool = new Spool(join(config.dataDirectory, 'spool'), { minFreeBytes, queue });
  const storage = new StorageBounds({
    warehouse: stores.warehouse,
    queue,
    deadLetter: stores.deadLetter,
    organizations: stores.organizations,
    mostBytes: config.storageBytes,
  });
  measureStorage(storage);
  measureProcess();
  measureQueue(queue);
  measureProjections(projector, stores.events);
  measureNotUnderstood(stores.notUnderstood);
  measureNotOurs(stores.notOurs);
  measureLeadership(stores.lead);
  return {
    ...stores,
    logger,
    projector,
    queue,
    foreign,
    held,
    commands: new CommandPipeline(stores.events, projector, stores.people, pace),
    catalog: new StreamCatalog(stores.streams, stores.warehouse, projector),
    spool,
    storage,
    damaged,
    readiness: readinessOf({ ...stores, queue, spool, projector, damaged }),
    close: async () => {
      stores.lead.stopFollowing();
      await projector.stop();
      await queue.close();
      await damaged.stop();
      await stores.close();
    },
  };
}

/** Lists the components that this node needs to serve. */
function readinessOf({
  events,
  warehouse,
  queue,
  spool,
  projector,
  tables,
  damaged,
}: Pick<
  Components,
  'config' | 'events' | 'warehouse' | 'queue' | 'spool' | 'tables' | 'damaged'
> & {
  projector: Projector;
}): Readiness {
  const readiness = new Readiness();
  readiness.watch('event-store', () => events.lastPosition());
  readiness.watch('warehouse', () => warehouse.text({ sql: 'SELECT 1', format: 'text' }));
  readiness.watch('queue', () => queue.reach());
  readiness.watch('disk', () => spool.checkFree());
  readiness.watch('read models', () => projector.checkFollowing());
  readiness.serves('uploads', ['queue', 'disk']);
  readiness.serves('queries', ['warehouse']);
  readiness.tell('streams', () => {
    const aside = tables.streamsAside;
    return aside === 0 ? undefined : { aside };
  });
  readiness.tell('damaged', () => damaged.facts());
  measureReadiness(readiness);
  return readiness;
}
