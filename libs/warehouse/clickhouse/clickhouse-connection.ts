import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
  type DataFormat,
} from '@clickhouse/client';
import { NETWORK_ERROR, toWarehouseError, WarehouseError } from '../warehouse-errors.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { whole } from './whole-answer.js';

export interface Request {
  readonly query: string;
  readonly settings: ClickHouseSettings;
  readonly database?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface Sending {
  /** Absolute; compressed with zstd. */
  readonly file: string;
  readonly settings: ClickHouseSettings;
  /** By which the server knows the statement. */
  readonly id: string;
}

/** Of a server that says nothing while it works: an index is filled, an insert is merged. */
const SILENCE_MS = 600_000;
/** As many as would ever be asked at once; the server has its own limit. */
const CONNECTIONS = 64;
/** Statements of our own name every column of a wide table several times. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Settings of every statement of our own. The answer comes when all is done, so that its status tells the outcome. */
const OWN: ClickHouseSettings = {
  wait_end_of_query: 1,
  max_query_size: String(STATEMENT_BYTES_MAX),
  // A stream is dropped whatever its size: somebody has decided that.
  max_table_size_to_drop: '0',
  max_partition_size_to_drop: '0',
  session_timezone: 'UTC',
};

/** A ClickHouse server over HTTP; failures come as {@link WarehouseError}, lost connections as `NETWORK_ERROR`. */
export class ClickHouseConnection implements SqlRunner {
  private readonly client: ClickHouseClient;
  /** For messages: without the password. */
  private readonly host: string;

  /** @param url `http(s)://name:password@host:port` */
  constructor(url: string) {
    this.host = new URL(url).host;
    this.client = createClient({
      url,
      application: 'millrace',
      request_timeout: SILENCE_MS,
      max_open_connections: CONNECTIONS,
      use_multipart_params_auto: true,
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  async command(query: string): Promise<void> {
    await this.told(() => this.client.command({ query, clickhouse_settings: OWN }));
  }

  rows<Row>(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
    return this.told(async () => {
      const result = await this.client.query({
        query,
        format: 'JSONEachRow',
        query_params: params,
        clickhouse_settings: OWN,
      });
      return result.json<Row>();
    });
  }

  /** The whole result. */
  text({ query, ...request }: Request, format: DataFormat): Promise<string> {
    return this.told(async () => {
      const result = await this.client.query({ query, format, ...parameters(request) });
      return result.text();
    }, request.signal);
  }

  /**
   * Bytes as the server sends them; a failure on the way is the stream's error. Destroying the
   * stream closes the connection, by which the server knows that nobody wants the rest.
   */
  stream({ query, ...request }: Request): Promise<Readable> {
    return this.told(async () => {
      const { stream, response_headers } = await this.client.exec({
        query,
        ...parameters(request),
      });
      const answer = whole(stream, response_headers, (error) => this.toError(error));
      return request.signal ? addAbortSignal(request.signal, answer) : answer;
    }, request.signal);
  }

  /** Sends a file as the data of an INSERT. */
  async send(query: string, { file, settings, id }: Sending): Promise<void> {
    await this.told(async () => {
      const { stream, response_headers } = await this.client.exec({
        query,
        query_id: id,
        values: createReadStream(file),
        http_headers: { 'Content-Encoding': 'zstd' },
        clickhouse_settings: { ...OWN, ...settings },
      });
      await finished(whole(stream, response_headers, (error) => this.toError(error)).resume());
    });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async told<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      throw this.toError(error);
    }
  }

  private toError(error: unknown): WarehouseError {
    const known = toWarehouseError(error);
    if (known.code !== 0) return known;
    return new WarehouseError(
      NETWORK_ERROR,
      'NETWORK_ERROR',
      `ClickHouse at ${this.host}: ${known.message}`,
      { cause: error },
    );
  }
}

function parameters({ settings, database, params, signal }: Omit<Request, 'query'>) {
  return {
    clickhouse_settings: settings,
    query_id: randomUUID(),
    ...(params === undefined ? {} : { query_params: params }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
    ...(database === undefined ? {} : { http_headers: { 'X-ClickHouse-Database': database } }),
  };
}
