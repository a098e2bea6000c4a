import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandPipeline, Projector, type EventStore } from '@app/event-store';
import { OrganizationsProjection, UsersProjection } from '@app/identity';
import { Spool } from '@app/ingest';
import type { IngestQueue } from '@app/ingest-queue';
import type { Config, Logger } from '@app/platform';
import type { Catalog } from '@app/query';
import { StreamsProjection, WarehouseTablesProjection } from '@app/streams';
import type { LocalEngine, Warehouse } from '@app/warehouse';
import { StreamCatalog } from './stream-catalog.js';

/** Everything the modules are built on, opened and caught up. */
export interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly warehouse: Warehouse;
  readonly localEngine: LocalEngine;
  readonly events: EventStore;
  readonly queue: IngestQueue;
  readonly projector: Projector;
  readonly commands: CommandPipeline;
  readonly users: UsersProjection;
  readonly organizations: OrganizationsProjection;
  readonly streams: StreamsProjection;
  readonly catalog: Catalog;
  readonly spool: Spool;
  close(): Promise<void>;
}

/** Client queries and acceptance statements that run at once in this process. */
const READERS = 8;
const ACCEPTORS = 2;

/** Chooses and opens the adapters that the configuration names. @throws when the data directory is in use. */
export async function openParts(config: Config, logger: Logger): Promise<Parts> {
  const at = (name: string): string => join(config.dataDirectory, name);
  mkdirSync(config.dataDirectory, { recursive: true });
  const [{ openChdb }, { openEmbeddedEventStore }, { openEmbeddedIngestQueue }] = await Promise.all(
    [
      import('@app/warehouse/chdb'),
      import('@app/event-store/embedded'),
      import('@app/ingest-queue/embedded'),
    ],
  );
  // The engine first: it locks the data directory.
  const { warehouse, localEngine } = openChdb({
    directory: at('warehouse'),
    limits: config.query,
    readers: READERS,
    acceptors: ACCEPTORS,
  });
  const events = openEmbeddedEventStore({ directory: at('events') });
  const queue = openEmbeddedIngestQueue({ directory: at('queue'), maxBytes: config.queueMaxBytes });
  const users = new UsersProjection();
  const organizations = new OrganizationsProjection();
  const streams = new StreamsProjection();
  const tables = new WarehouseTablesProjection(warehouse, streams);
  // Tables before the catalog: whoever sees a stream or a column there finds it in the warehouse.
  const projector = new Projector(events, [users, organizations, tables, streams], logger);
  await projector.start();
  return {
    config,
    logger,
    warehouse,
    localEngine,
    events,
    queue,
    projector,
    commands: new CommandPipeline(events, projector),
    users,
    organizations,
    streams,
    catalog: new StreamCatalog(streams),
    spool: new Spool(at('spool'), config.upload.minFreeDiskBytes),
    close: async () => {
      await projector.stop();
      await queue.close();
      await events.close();
      await warehouse.close();
    },
  };
}
