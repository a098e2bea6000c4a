import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { CommandPipeline, EventStore } from '@app/event-store';
import { IdentityModule, OrganizationsProjection, UsersProjection } from '@app/identity';
import { IngestModule, Spool, UPLOAD_LIMITS } from '@app/ingest';
import { IngestQueue } from '@app/ingest-queue';
import { ErrorFilter, HealthController, Readiness } from '@app/platform';
import { Catalog, QueryModule } from '@app/query';
import { StreamsModule, StreamsProjection } from '@app/streams';
import { LocalEngine, StreamStatistics, WarehouseReader } from '@app/warehouse';
import type { Parts } from './open-parts.js';

/** Hands the opened parts to the modules: the only place where adapters meet domain. */
@Module({})
export class ApiModule {
  static of(parts: Parts): DynamicModule {
    return {
      module: ApiModule,
      global: true,
      imports: [IdentityModule, StreamsModule, IngestModule, QueryModule],
      controllers: [HealthController],
      providers: [
        ...bindings(parts),
        Readiness,
        { provide: APP_FILTER, useValue: new ErrorFilter(parts.logger) },
      ],
      exports: bindings(parts).map(({ provide }) => provide),
    };
  }
}

function bindings(parts: Parts): ValueProvider[] {
  return [
    { provide: EventStore, useValue: parts.events },
    { provide: CommandPipeline, useValue: parts.commands },
    { provide: UsersProjection, useValue: parts.users },
    { provide: OrganizationsProjection, useValue: parts.organizations },
    { provide: StreamsProjection, useValue: parts.streams },
    { provide: IngestQueue, useValue: parts.queue },
    { provide: LocalEngine, useValue: parts.localEngine },
    { provide: WarehouseReader, useValue: parts.warehouse },
    { provide: StreamStatistics, useValue: parts.warehouse },
    { provide: Spool, useValue: parts.spool },
    { provide: UPLOAD_LIMITS, useValue: parts.config.upload },
    { provide: Catalog, useValue: parts.catalog },
  ];
}
