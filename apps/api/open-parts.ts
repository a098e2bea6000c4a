import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  AuditTrailProjection,
  FollowLeadProjection,
  measureLead,
  TrailLead,
  type AuditDirectory,
  type LeadRank,
} from '@app/audit';
import {
  CommandPipeline,
  measureProjections,
  Projector,
  SnapshotFiles,
  type EventStore,
  type Projection,
} from '@app/event-store';
import { OrganizationsProjection, PersonalData, UsersProjection } from '@app/identity';
import { measureQueue, type ForeignMessages, type IngestQueue } from '@app/ingest-queue';
import { DeadLetter, ENGINE_SLOTS, Spool } from '@app/ingest';
import { openServerKey, type ServerKey } from '@app/key-store';
import { measureProcess, nodeId, Readiness, type Config, type Logger } from '@app/platform';
import type { Catalog } from '@app/query';
import {
  DroppedTablesProjection,
  StreamsProjection,
  WarehouseTablesProjection,
} from '@app/streams';
import { openWarehouse, type LocalEngine, type Warehouse } from '@app/warehouse';
import { AccountsDirectory } from './accounts-directory.js';
import { openPersonKeys } from './open-person-keys.js';
import { StreamCatalog } from './stream-catalog.js';

/** What is stored, and the read models over it, opened but not caught up. */
export interface Stores {
  readonly config: Config;
  readonly serverKey: ServerKey;
  readonly people: PersonalData;
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
  readonly events: EventStore;
  readonly snapshots: SnapshotFiles;
  readonly users: UsersProjection;
  readonly organizations: OrganizationsProjection;
  readonly streams: StreamsProjection;
  readonly tables: WarehouseTablesProjection;
  readonly directory: AuditDirectory;
  readonly lead: TrailLead;
  readonly auditTrail: AuditTrailProjection;
  /** In the order in which they get each event. */
  readonly projections: readonly Projection[];
  close(): Promise<void>;
}

/** Everything the modules are built on, opened and caught up. */
export interface Parts extends Stores {
  readonly logger: Logger;
  readonly queue: IngestQueue;
  /** Undefined where other programs have no way to leave any. */
  readonly foreign: ForeignMessages | undefined;
  readonly commands: CommandPipeline;
  readonly catalog: Catalog;
  readonly spool: Spool;
  readonly deadLetter: DeadLetter;
  readonly readiness: Readiness;
}

/** Client queries that run at once in this process. */
const READERS = 8;
/** What the hashes of the audit trail are made with. */
export const AUDIT_PURPOSE = 'audit-trail';

/** Chooses and opens the adapters that the configuration names. @throws when the data directory is in use. */
export async function openStores(config: Config, logger: Logger): Promise<Stores> {
  const at = (name: string): string => join(config.dataDirectory, name);
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 });
  // The engine first: it locks the data directory.
  const { warehouse, localEngine } = await openWarehouse({
    directory: at('warehouse'),
    clickHouse: config.clickHouse,
    limits: config.query,
    readers: READERS,
    acceptors: ENGINE_SLOTS.small + ENGINE_SLOTS.large,
  });
  const serverKey = openServerKey(config.dataDirectory, config.secretKey);
  const people = new PersonalData(serverKey, await openPersonKeys(config, serverKey, warehouse));
  const events = await openEventStore(config, at('events'), logger);
  const users = new UsersProjection(people);
  const organizations = new OrganizationsProjection();
  const streams = new StreamsProjection();
  const directory = new AccountsDirectory(users, organizations, people);
  const databases = (): readonly string[] => directory.databases();
  const lead = new TrailLead(warehouse, { rank: leadRank(config) });
  const following = new FollowLeadProjection(lead, directory);
  const tables = new WarehouseTablesProjection(warehouse, streams, databases, lead, logger);
  const dropped = new DroppedTablesProjection(warehouse, streams, databases, lead);
  const auditTrail = new AuditTrailProjection(
    warehouse,
    directory,
    serverKey.derive(AUDIT_PURPOSE),
    lead,
  );
  return {
    config,
    serverKey,
    people,
    warehouse,
    localEngine,
    events,
    snapshots: new SnapshotFiles(at('snapshots')),
    users,
    organizations,
    streams,
    tables,
    directory,
    lead,
    auditTrail,
    // Tables are made before the catalog knows of them, and dropped after it has forgotten them.
    projections: [users, organizations, following, tables, streams, dropped, auditTrail],
    close: async () => {
      await tables.idle();
      await events.close();
      await warehouse.close();
    },
  };
}

/** A node with other roles and no projector's leaves it to one, as it leaves the writing to writers. */
function leadRank({ roles }: Config): LeadRank {
  if (!roles.has('projector')) return 'reserve';
  return roles.size === 1 ? 'projector' : 'equal';
}

async function openEventStore(
  { eventStoreUrl: url }: Config,
  directory: string,
  log: Logger,
): Promise<EventStore> {
  if (url === undefined) {
    const { openEmbeddedEventStore } = await import('@app/event-store/embedded');
    return openEmbeddedEventStore({ directory });
  }
  const { openEventStoreDb } = await import('@app/event-store/eventstoredb');
  const store = openEventStoreDb({ url, log });
  try {
    await store.lastPosition();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    throw new Error(`EVENTSTORE_URL: ${message}${reason}`, { cause: error });
  }
  return store;
}

async function openQueue(
  { kafka, dataDirectory, queueMaxBytes: maxBytes }: Config,
  log: Logger,
): Promise<Pick<Parts, 'queue' | 'foreign'>> {
  if (kafka === undefined) {
    const { openEmbeddedIngestQueue } = await import('@app/ingest-queue/embedded');
    const queue = openEmbeddedIngestQueue({ directory: join(dataDirectory, 'queue'), maxBytes });
    return { queue, foreign: undefined };
  }
  const { openKafka } = await import('@app/ingest-queue/kafka');
  try {
    return await openKafka({ ...kafka, maxBytes, nodeId: nodeId(dataDirectory), log });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`KAFKA_BROKERS: ${reason}`, { cause: error });
  }
}

/** What the writer of this data directory has given up. */
export const openDeadLetter = ({ dataDirectory }: Config): DeadLetter =>
  new DeadLetter(join(dataDirectory, 'dead-letter'));

/** Opens everything and brings the read models up to date. */
export async function openParts(config: Config, logger: Logger): Promise<Parts> {
  const stores = await openStores(config, logger);
  const { queue, foreign } = await openQueue(config, logger);
  const projector = new Projector(stores.events, stores.projections, logger, stores.snapshots);
  await projector.start();
  const spool = new Spool(join(config.dataDirectory, 'spool'), config.upload.minFreeDiskBytes);
  measureProcess();
  measureQueue(queue);
  measureProjections(projector, stores.events);
  measureLead(stores.lead);
  return {
    ...stores,
    logger,
    queue,
    foreign,
    commands: new CommandPipeline(stores.events, projector, stores.people),
    catalog: new StreamCatalog(stores.streams, stores.warehouse),
    spool,
    deadLetter: openDeadLetter(config),
    readiness: readinessOf({ ...stores, queue, spool, projector }),
    close: async () => {
      await projector.stop();
      await queue.close();
      await stores.close();
    },
  };
}

/** What this node cannot serve without. */
function readinessOf({
  config,
  events,
  warehouse,
  queue,
  spool,
  projector,
  tables,
}: Pick<Parts, 'config' | 'events' | 'warehouse' | 'queue' | 'spool' | 'tables'> & {
  projector: Projector;
}): Readiness {
  const readiness = new Readiness();
  readiness.watch('event-store', () => events.lastPosition());
  // The embedded engine is there as this process is; asking it would wait behind clients' queries.
  if (config.clickHouse !== undefined)
    readiness.watch('warehouse', () => warehouse.text({ sql: 'SELECT 1', format: 'text' }));
  readiness.watch('queue', () => queue.reach());
  readiness.watch('disk', () => spool.checkFree());
  readiness.watch('read models', () => projector.checkFollowing());
  readiness.tell('streams', () => {
    const aside = tables.streamsAside;
    return aside === 0 ? undefined : { aside };
  });
  return readiness;
}
