export { Catalog, type FieldWithin, type TableDescription } from './catalog.js';
export { readElement, readEngineType, typeWithin } from './plan/engine-type.js';
export { tupleFields } from './plan/tuple-fields.js';
export { Guard } from './guard/guard.js';
export {
  ORGANIZATION_QUERY_LIMITS,
  OrganizationQueries,
  type OrganizationQueryLimits,
} from './organization-queries.js';
export { isWrite } from './is-write.js';
export { ClickHouseHttpModule } from './clickhouse-http.module.js';
export { Databases } from './clickhouse-http/databases.js';
export { Inserts, type Insert, type Inserted } from './clickhouse-http/inserts/inserts.js';
export { ClickHouseListener } from './clickhouse-http/listener.js';
export { readClickHouseCredentials } from './clickhouse-http/credentials.js';
export { GraphiqlModule } from './graphiql.module.js';
export { QueryModule } from './query.module.js';
export { SearchModule } from './search.module.js';
export { QueryPipeline, type QueryQuestion } from './query.pipeline.js';
export type { TableHold } from './table-hold.js';
export { TailSource, type WrittenTo } from './tail/tail-source.js';
export { UnreadableTables } from './unreadable-tables.js';
