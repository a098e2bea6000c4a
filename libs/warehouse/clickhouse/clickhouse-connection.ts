import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseSettings,
} from '@clickhouse/client';
import { NETWORK_ERROR, toWarehouseError, WarehouseError } from '../warehouse-errors.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { whole } from './whole-answer.js';

export interface Request {
  readonly query: string;
  readonly settings: ClickHouseSettings;
  /** By which the server knows the statement; one is made up when there is none. */
  readonly id?: string;
  readonly database?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** The data of an INSERT: a file compressed with zstd, by its absolute path. */
  readonly file?: string;
  readonly signal?: AbortSignal;
}

/** Of a server that says nothing while it works: an index is filled, an insert is merged. */
const SILENCE_MS = 600_000;
/** As many as would ever be asked at once; the server has its own limit. */
const CONNECTIONS = 64;
/** Statements of our own name every column of a wide table several times. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;

const OK = 200;
const ERROR_TEXT_MAX = 64 * 1024;

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
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  async command(query: string): Promise<void> {
    await this.text({ query, settings: OWN });
  }

  async rows<Row>(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
    const lines = await this.text({ query: `${query}\nFORMAT JSONEachRow`, settings: OWN, params });
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  /** Sends the data of an INSERT. */
  async send(request: Request & { readonly file: string }): Promise<void> {
    await this.text({ ...request, settings: { ...OWN, ...request.settings } });
  }

  /** The whole answer. */
  async text(request: Request): Promise<string> {
    return text(await this.stream(request));
  }

  /**
   * Bytes as the server sends them; a failure on the way is the stream's error. Destroying the
   * stream closes the connection, by which the server knows that nobody wants the rest.
   */
  async stream(request: Request): Promise<Readable> {
    const { signal } = request;
    signal?.throwIfAborted();
    try {
      const answer = await this.client.exec(parameters(request));
      const { stream, response_headers: headers, http_status_code: status = 0 } = answer;
      if (status !== OK || 'x-clickhouse-exception-code' in headers)
        throw new Error((await text(stream)).slice(0, ERROR_TEXT_MAX));
      const rows = whole(stream, headers, (error) => this.toError(error));
      return signal ? addAbortSignal(signal, rows) : rows;
    } catch (error) {
      signal?.throwIfAborted();
      throw this.toError(error);
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private toError(error: unknown): WarehouseError {
    const known = toWarehouseError(error);
    if (known.code !== 0) return known;
    const message = `ClickHouse at ${this.host}: ${known.message}`;
    return new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', message, { cause: error });
  }
}

/** The client's own reading of errors takes words in brackets for their type: ours reads them. */
function parameters({ query, settings, id, database, params, file, signal }: Request) {
  return {
    query,
    query_id: id ?? randomUUID(),
    clickhouse_settings: settings,
    ignore_error_response: true,
    ...(params === undefined ? {} : { query_params: params }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
    ...(file === undefined ? {} : { values: createReadStream(file) }),
    http_headers: {
      ...(file === undefined ? {} : { 'Content-Encoding': 'zstd' }),
      ...(database === undefined ? {} : { 'X-ClickHouse-Database': database }),
    },
  };
}
