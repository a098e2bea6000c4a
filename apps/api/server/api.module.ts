import { join } from 'node:path';
import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import { APP_FILTER, RouterModule } from '@nestjs/core';
import { AuditModule, AuditVerifier, RefusalRecorder } from '@app/audit';
import { MetadataGraphqlModule } from '@app/metadata-graphql';
import { ConsoleModule } from '@app/console';
import { CommandPipeline, EventStore, Projector } from '@app/event-store';
import {
  ACCOUNT_BOUNDS,
  DatabaseNames,
  EndedSessionsProjection,
  IdentityModule,
  InvitationsProjection,
  KnownAddresses,
  OrganizationsProjection,
  PersonalData,
  UsersProjection,
  SIGN_UP,
} from '@app/identity';
import {
  DELTA_SOURCES,
  FedOrganizations,
  ForeignUploadsPipeline,
  IntakeModule,
  Spool,
  StorageBounds,
  UPLOAD_LIMITS,
} from '@app/intake';
import { DeadLetter } from '@app/writer';
import { ForeignMessages, IngestQueue } from '@app/ingest-queue';
import { ServerKey } from '@app/key-store';
import { ErrorFilter } from '@app/http';
import { HealthController, MetricsController, Readiness, type Caller } from '@app/platform';
import {
  Catalog,
  ClickHouseHttpModule,
  Databases,
  GraphiqlModule,
  Inserts,
  ORGANIZATION_QUERY_LIMITS,
  QueryModule,
  SearchModule,
  TailSource,
  UnreadableTables,
} from '@app/query';
import {
  MemberCount,
  STREAM_BOUNDS,
  StreamsModule,
  DamagedTables,
  StreamsProjection,
  WarehouseTablesProjection,
} from '@app/streams';
import { AuditTables, LocalEngine, StreamStatistics, WarehouseReader } from '@app/warehouse';
import { AcceptedInserts } from '../components/accepted-inserts.js';
import { auditKey } from '../components/audit-key.js';
import type { Components } from '../components/open-components.js';
import { OwnDatabases } from '../components/own-databases.js';
import { QueueTails } from '../components/queue-tails.js';

/** Hands the opened components to the modules: the only place where adapters meet domain. */
@Module({})
export class ApiModule {
  static of(components: Components): DynamicModule {
    const bound = bindings(components);
    return {
      module: ApiModule,
      global: true,
      imports: [
        IdentityModule,
        AuditModule,
        StreamsModule,
        IntakeModule,
        QueryModule,
        SearchModule,
        ClickHouseHttpModule,
        RouterModule.register(
          [QueryModule, SearchModule, ClickHouseHttpModule].map((module) => ({
            path: 'api/:org',
            module,
          })),
        ),
        GraphiqlModule.of('hosted'),
        MetadataGraphqlModule,
        ConsoleModule.of('hosted'),
      ],
      controllers: [HealthController, MetricsController],
      providers: [
        ...bound,
        ...(components.foreign ? [ForeignUploadsPipeline] : []),
        { provide: Inserts, useClass: AcceptedInserts },
        { provide: APP_FILTER, useValue: errorFilter(components) },
      ],
      exports: [...bound.map(({ provide }) => provide), IdentityModule, Inserts],
    };
  }
}

function errorFilter({ logger, commands, organizations }: Components): ErrorFilter {
  const organizationId = (name: string, { root, userId, token }: Caller): string | undefined => {
    const organization = organizations.find(name);
    const isOwn = token?.organizationId === organization?.id || organization?.members.has(userId);
    return root || isOwn ? organization?.id : undefined;
  };
  const refusals = new RefusalRecorder(commands, organizationId, logger);
  return new ErrorFilter(logger, (failure, request) => refusals.record(failure, request));
}

function fedOrganizations({ config, organizations }: Components): FedOrganizations {
  const fed = config.kafka?.uploadOrganizations;
  return { find: (name) => (fed?.has(name) === true ? organizations.find(name) : undefined) };
}

function memberCount({ organizations }: Components): MemberCount {
  return { of: (id) => organizations.get(id)?.members.size ?? 0 };
}

function knownAddresses({ config, serverKey, users }: Components): KnownAddresses {
  const file = join(config.dataDirectory, 'known-addresses');
  return new KnownAddresses(serverKey, file, (id) => users.byId(id) !== undefined);
}

function auditVerifier({
  events,
  warehouse,
  directory,
  serverKey,
  projector,
}: Components): AuditVerifier {
  return new AuditVerifier({
    events,
    tables: warehouse,
    directory,
    key: auditKey(serverKey),
    carriedOut: async (databases) => {
      const { position } = projector;
      await projector.awaitWritten(position, databases);
      return position;
    },
  });
}

function bindings(components: Components): ValueProvider[] {
  return [
    { provide: EventStore, useValue: components.events },
    { provide: CommandPipeline, useValue: components.commands },
    { provide: Projector, useValue: components.projector },
    { provide: DatabaseNames, useValue: components.warehouse },
    { provide: ServerKey, useValue: components.serverKey },
    { provide: PersonalData, useValue: components.people },
    { provide: AuditTables, useValue: components.warehouse },
    { provide: AuditVerifier, useValue: auditVerifier(components) },
    { provide: UsersProjection, useValue: components.users },
    { provide: OrganizationsProjection, useValue: components.organizations },
    { provide: InvitationsProjection, useValue: components.invitations },
    { provide: EndedSessionsProjection, useValue: components.endedSessions },
    { provide: KnownAddresses, useValue: knownAddresses(components) },
    { provide: Databases, useValue: new OwnDatabases(components.organizations) },
    { provide: MemberCount, useValue: memberCount(components) },
    { provide: StreamsProjection, useValue: components.streams },
    { provide: WarehouseTablesProjection, useValue: components.tables },
    { provide: IngestQueue, useValue: components.queue },
    { provide: LocalEngine, useValue: components.localEngine },
    { provide: WarehouseReader, useValue: components.warehouse },
    { provide: StreamStatistics, useValue: components.warehouse },
    { provide: StorageBounds, useValue: components.storage },
    { provide: DamagedTables, useValue: components.damaged },
    { provide: UnreadableTables, useValue: components.damaged },
    { provide: Spool, useValue: components.spool },
    { provide: DeadLetter, useValue: components.deadLetter },
    { provide: SIGN_UP, useValue: components.config.signUp },
    { provide: ACCOUNT_BOUNDS, useValue: components.config.accounts },
    { provide: STREAM_BOUNDS, useValue: components.config.streams },
    { provide: UPLOAD_LIMITS, useValue: components.config.upload },
    { provide: DELTA_SOURCES, useValue: components.config.delta },
    { provide: Catalog, useValue: components.catalog },
    { provide: TailSource, useValue: new QueueTails(components.streams, components.queue) },
    { provide: ORGANIZATION_QUERY_LIMITS, useValue: components.config.query.organization },
    { provide: ForeignMessages, useValue: components.foreign },
    { provide: Readiness, useValue: components.readiness },
    { provide: FedOrganizations, useValue: fedOrganizations(components) },
  ];
}
