import { Module } from '@nestjs/common';
import { Guard } from './guard/guard.js';
import { SqlController } from './http/sql.controller.js';
import { RejectedController } from './http/rejected.controller.js';
import { TablesController } from './http/tables.controller.js';
import { SearchController } from './http/search.controller.js';
import { SchemaController } from './http/schema.controller.js';
import { StreamPagesController } from './http/stream-pages.controller.js';
import { KeyValueController } from './http/kv.controller.js';
import { GraphqlController } from './http/graphql.controller.js';
import { GraphqlPipeline } from './graphql/graphql.pipeline.js';
import { JsonShapes } from './graphql/json-shapes.js';
import { CanonicalText } from './search/canonical-text.js';
import { SearchPipeline } from './search/search.pipeline.js';
import { OrganizationQueries } from './organization-queries.js';
import { QueryPipeline } from './query.pipeline.js';

/** Needs from the app: WarehouseReader, Catalog and ORGANIZATION_QUERY_LIMITS. */
@Module({
  controllers: [
    SqlController,
    TablesController,
    RejectedController,
    SearchController,
    StreamPagesController,
    GraphqlController,
    KeyValueController,
    SchemaController,
  ],
  providers: [
    Guard,
    OrganizationQueries,
    QueryPipeline,
    CanonicalText,
    SearchPipeline,
    JsonShapes,
    GraphqlPipeline,
  ],
})
export class QueryModule {}
