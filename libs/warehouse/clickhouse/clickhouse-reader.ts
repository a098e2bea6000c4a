import type { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { NETWORK_ERROR, WarehouseError } from '../warehouse-errors.js';
import { ENGINE_FORMAT, readSettings, WHOLE_RESULT } from '../sql/read-settings.js';
import type { QueryLimits, ResultFormat, WarehouseQuery, WarehouseReader } from '../warehouse.js';
import type { ClickHouseConnection, Request } from './clickhouse-connection.js';

/** The guard's statement about a client's is somewhat longer than that. */
const STATEMENT_BYTES_MAX = 1024 * 1024;

/** What a server may take beyond a query's time: it looks at the clock between blocks. */
const LATE_MS = 5000;

const withFormat = (sql: string, format: ResultFormat): string =>
  `${sql}\nFORMAT ${ENGINE_FORMAT[format]}`;

/** An organization's role is called as its database. */
const roleOf = ({ database }: Pick<WarehouseQuery, 'database'>) =>
  database === undefined ? {} : { role: database };

/** Each query brings its own bounds, and is read-only: the server lets it change neither. */
export class ClickHouseReader implements WarehouseReader {
  private readonly settings: ClickHouseSettings;
  private readonly patienceMs: number;

  constructor(
    private readonly connection: ClickHouseConnection,
    limits: QueryLimits,
  ) {
    this.patienceMs = limits.timeoutSeconds * 1000 + LATE_MS;
    this.settings = {
      ...readSettings(limits),
      cancel_http_readonly_queries_on_client_close: 1,
      http_write_exception_in_output_format: 0,
      max_query_size: String(STATEMENT_BYTES_MAX),
    };
  }

  /** Does not tell its progress: the server would, in headers that come before the first row. */
  stream(query: WarehouseQuery): Promise<Readable> {
    const settings = { output_format_json_array_of_rows: query.format === 'json' ? 1 : 0 } as const;
    return this.ask(query, settings, (request) => this.connection.stream(request));
  }

  text(query: WarehouseQuery): Promise<string> {
    // The answer comes when all is done, so that its status tells the outcome.
    const settings = {
      ...WHOLE_RESULT,
      output_format_json_array_of_rows: 1,
      wait_end_of_query: 1,
    } as const;
    return this.ask(query, settings, (request) => this.connection.text(request));
  }

  private ask<Result>(
    { sql, format, settings: own, signal, ...query }: WarehouseQuery,
    settings: ClickHouseSettings,
    send: (request: Request) => Promise<Result>,
  ): Promise<Result> {
    const request: Request = {
      ...query,
      ...roleOf(query),
      query: withFormat(sql, format),
      settings: { ...this.settings, ...own, ...settings },
      isReading: true,
    };
    return this.inTime(signal, (within) => send({ ...request, signal: within }));
  }

  /** A server that keeps to a query's time has begun to answer by then; one that hangs never does. */
  private async inTime<Result>(
    signal: AbortSignal | undefined,
    ask: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const silence = new AbortController();
    const giveUp = setTimeout(() => {
      const message = `ClickHouse has not answered within ${this.patienceMs / 1000} s`;
      silence.abort(new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', message));
    }, this.patienceMs);
    try {
      return await ask(signal ? AbortSignal.any([signal, silence.signal]) : silence.signal);
    } finally {
      clearTimeout(giveUp);
    }
  }
}
