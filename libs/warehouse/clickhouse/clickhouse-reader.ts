import type { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { ENGINE_FORMAT, readSettings } from '../sql/read-settings.js';
import type { QueryLimits, ResultFormat, WarehouseQuery, WarehouseReader } from '../warehouse.js';
import type { ClickHouseConnection } from './clickhouse-connection.js';

/** The guard's statement about a client's is somewhat longer than that. */
const STATEMENT_BYTES_MAX = 1024 * 1024;

const withFormat = (sql: string, format: ResultFormat): string =>
  `${sql}\nFORMAT ${ENGINE_FORMAT[format]}`;

/** An organization's role is called as its database. */
const roleOf = ({ database }: Pick<WarehouseQuery, 'database'>) =>
  database === undefined ? {} : { role: database };

/** Each query brings its own bounds, and is read-only: the server lets it change neither. */
export class ClickHouseReader implements WarehouseReader {
  private readonly settings: ClickHouseSettings;

  constructor(
    private readonly connection: ClickHouseConnection,
    limits: QueryLimits,
  ) {
    this.settings = {
      ...readSettings(limits),
      cancel_http_readonly_queries_on_client_close: 1,
      http_write_exception_in_output_format: 0,
      max_query_size: String(STATEMENT_BYTES_MAX),
    };
  }

  /** Does not tell its progress: the server would, in headers that come before the first row. */
  stream({ sql, format, settings: own, ...query }: WarehouseQuery): Promise<Readable> {
    const settings: ClickHouseSettings = {
      ...this.settings,
      ...own,
      output_format_json_array_of_rows: format === 'json' ? 1 : 0,
    };
    return this.connection.stream({
      ...query,
      ...roleOf(query),
      query: withFormat(sql, format),
      settings,
      isReading: true,
    });
  }

  text({ sql, format, settings: own, ...query }: WarehouseQuery): Promise<string> {
    const settings: ClickHouseSettings = {
      ...this.settings,
      ...own,
      output_format_json_array_of_rows: 1,
      // The answer comes when all is done, so that its status tells the outcome.
      wait_end_of_query: 1,
    };
    return this.connection.text({
      ...query,
      ...roleOf(query),
      query: withFormat(sql, format),
      settings,
      isReading: true,
    });
  }
}
