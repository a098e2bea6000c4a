import { Module } from '@nestjs/common';
import { Guard } from './guard/guard.js';
import { SqlController } from './http/sql.controller.js';
import { RejectedController } from './http/rejected.controller.js';
import { TablesController } from './http/tables.controller.js';
import { OrganizationQueries } from './organization-queries.js';
import { QueryPipeline } from './query.pipeline.js';

/** Needs from the app: WarehouseReader, Catalog and ORGANIZATION_QUERY_LIMITS. */
@Module({
  controllers: [SqlController, TablesController, RejectedController],
  providers: [Guard, OrganizationQueries, QueryPipeline],
})
export class QueryModule {}
