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
import { AcceptedInserts } from '../parts/accepted-inserts.js';
import { auditKey } from '../parts/audit-key.js';
import type { Parts } from '../parts/open-parts.js';
import { OwnDatabases } from '../parts/own-databases.js';
import { QueueTails } from '../parts/queue-tails.js';

/** Hands the opened parts to the modules: the only place where adapters meet domain. */
@Module({})
export class ApiModule {
  static of(parts: Parts): DynamicModule {
    const bound = bindings(parts);
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
        ...(parts.foreign ? [ForeignUploadsPipeline] : []),
        { provide: Inserts, useClass: AcceptedInserts },
        { provide: APP_FILTER, useValue: errorFilter(parts) },
      ],
      exports: [...bound.map(({ provide }) => provide), IdentityModule, Inserts],
    };
  }
}

function errorFilter({ logger, commands, organizations }: Parts): ErrorFilter {
  const organizationId = (name: string, { root, userId, token }: Caller): string | undefined => {
    const organization = organizations.find(name);
    const isOwn = token?.organizationId === organization?.id || organization?.members.has(userId);
    return root || isOwn ? organization?.id : undefined;
  };
  const refusals = new RefusalRecorder(commands, organizationId, logger);
  return new ErrorFilter(logger, (failure, request) => refusals.record(failure, request));
}

function fedOrganizations({ config, organizations }: Parts): FedOrganizations {
  const fed = config.kafka?.uploadOrganizations;
  return { find: (name) => (fed?.has(name) === true ? organizations.find(name) : undefined) };
}

function memberCount({ organizations }: Parts): MemberCount {
  return { of: (id) => organizations.get(id)?.members.size ?? 0 };
}

function knownAddresses({ config, serverKey, users }: Parts): KnownAddresses {
  const file = join(config.dataDirectory, 'known-addresses');
  return new KnownAddresses(serverKey, file, (id) => users.byId(id) !== undefined);
}

function auditVerifier({
  events,
  warehouse,
  directory,
  serverKey,
  projector,
}: Parts): AuditVerifier {
  return new AuditVerifier({
    events,
    tables: warehouse,
    directory,
    key: auditKey(serverKey),
    carriedOut: async () => {
      const { position } = projector;
      await projector.awaitWritten(position);
      return position;
    },
  });
}

function bindings(parts: Parts): ValueProvider[] {
  return [
    { provide: EventStore, useValue: parts.events },
    { provide: CommandPipeline, useValue: parts.commands },
    { provide: Projector, useValue: parts.projector },
    { provide: DatabaseNames, useValue: parts.warehouse },
    { provide: ServerKey, useValue: parts.serverKey },
    { provide: PersonalData, useValue: parts.people },
    { provide: AuditTables, useValue: parts.warehouse },
    { provide: AuditVerifier, useValue: auditVerifier(parts) },
    { provide: UsersProjection, useValue: parts.users },
    { provide: OrganizationsProjection, useValue: parts.organizations },
    { provide: InvitationsProjection, useValue: parts.invitations },
    { provide: EndedSessionsProjection, useValue: parts.endedSessions },
    { provide: KnownAddresses, useValue: knownAddresses(parts) },
    { provide: Databases, useValue: new OwnDatabases(parts.organizations) },
    { provide: MemberCount, useValue: memberCount(parts) },
    { provide: StreamsProjection, useValue: parts.streams },
    { provide: WarehouseTablesProjection, useValue: parts.tables },
    { provide: IngestQueue, useValue: parts.queue },
    { provide: LocalEngine, useValue: parts.localEngine },
    { provide: WarehouseReader, useValue: parts.warehouse },
    { provide: StreamStatistics, useValue: parts.warehouse },
    { provide: StorageBounds, useValue: parts.storage },
    { provide: DamagedTables, useValue: parts.damaged },
    { provide: UnreadableTables, useValue: parts.damaged },
    { provide: Spool, useValue: parts.spool },
    { provide: DeadLetter, useValue: parts.deadLetter },
    { provide: SIGN_UP, useValue: parts.config.signUp },
    { provide: ACCOUNT_BOUNDS, useValue: parts.config.accounts },
    { provide: STREAM_BOUNDS, useValue: parts.config.streams },
    { provide: UPLOAD_LIMITS, useValue: parts.config.upload },
    { provide: DELTA_SOURCES, useValue: parts.config.delta },
    { provide: Catalog, useValue: parts.catalog },
    { provide: TailSource, useValue: new QueueTails(parts.streams, parts.queue) },
    { provide: ORGANIZATION_QUERY_LIMITS, useValue: parts.config.query.organization },
    { provide: ForeignMessages, useValue: parts.foreign },
    { provide: Readiness, useValue: parts.readiness },
    { provide: FedOrganizations, useValue: fedOrganizations(parts) },
  ];
}
