import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector, RouterModule } from '@nestjs/core';
import { ConsoleModule } from '@app/console';
import {
  AboutController,
  CallerGuard,
  EDGE_VERSION,
  EdgeModule,
  KeyValueStores,
  Registrations,
  SourceReader,
} from '@app/edge';
import { ErrorFilter } from '@app/http';
import { HealthController, MetricsController, programVersion, Readiness } from '@app/platform';
import {
  Catalog,
  GraphiqlModule,
  ORGANIZATION_QUERY_LIMITS,
  QueryModule,
  type OrganizationQueryLimits,
} from '@app/query';
import { WarehouseReader } from '@app/warehouse';
import type { Components } from './open-components.js';

/** There is one user, so no fairness is needed. The limit keeps a burst from taking all memory. */
const LIMITS: OrganizationQueryLimits = {
  running: 8,
  waiting: 10_000,
  waitSeconds: 600,
  seconds: Number.MAX_SAFE_INTEGER,
  resultBytes: Number.MAX_SAFE_INTEGER,
  readRows: Number.MAX_SAFE_INTEGER,
  readBytes: Number.MAX_SAFE_INTEGER,
};

/** Hands the opened components to the modules. */
@Module({})
export class EdgeAppModule {
  static of(components: Components): DynamicModule {
    const values = bindings(components);
    return {
      module: EdgeAppModule,
      global: true,
      imports: [
        QueryModule,
        EdgeModule,
        ConsoleModule.of('edge'),
        GraphiqlModule.of('edge'),
        RouterModule.register([QueryModule, EdgeModule].map((module) => ({ path: 'api', module }))),
      ],
      controllers: [HealthController, MetricsController, AboutController],
      providers: [
        ...values,
        Readiness,
        {
          provide: APP_FILTER,
          useValue: new ErrorFilter(components.logger, () => Promise.resolve()),
        },
        {
          provide: APP_GUARD,
          inject: [Reflector],
          useFactory: (reflector: Reflector) =>
            new CallerGuard(reflector, components.tables, components.config),
        },
      ],
      exports: values.map(({ provide }) => provide),
    };
  }
}

function bindings({ engine, tables, stores, registrations, logger }: Components): ValueProvider[] {
  return [
    { provide: WarehouseReader, useValue: new SourceReader(engine.reader, tables, logger) },
    { provide: Catalog, useValue: tables },
    { provide: ORGANIZATION_QUERY_LIMITS, useValue: LIMITS },
    { provide: Registrations, useValue: registrations },
    { provide: KeyValueStores, useValue: stores },
    { provide: EDGE_VERSION, useValue: programVersion() },
  ];
}
