import { Module } from '@nestjs/common';
import { Guard } from './guard/guard.js';
import { SqlController } from './http/sql.controller.js';
import { TablesController } from './http/tables.controller.js';
import { SchemaController } from './http/schema.controller.js';
import { GraphqlController } from './http/graphql.controller.js';
import { GraphqlPipeline } from './graphql/graphql.pipeline.js';
import { JsonShapes } from './graphql/schema/json-shapes.js';
import { OrganizationQueries } from './organization-queries.js';
import { QueryPipeline } from './query.pipeline.js';

/**
 * SQL, tables and GraphQL over whatever tables there are. Needs from the app: WarehouseReader,
 * Catalog, ORGANIZATION_QUERY_LIMITS, and the path that its routes stand below.
 */
@Module({
  controllers: [SqlController, TablesController, GraphqlController, SchemaController],
  providers: [Guard, OrganizationQueries, QueryPipeline, JsonShapes, GraphqlPipeline],
  exports: [Guard, OrganizationQueries, QueryPipeline],
})
export class QueryModule {}
