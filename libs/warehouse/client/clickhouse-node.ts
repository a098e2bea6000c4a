import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { NETWORK_ERROR, toWarehouseError, WarehouseError } from '../warehouse-errors.js';
import type { Request } from './clickhouse-request.js';
import { statementFrame } from './statement-frame.js';
import type { Headers } from './whole-answer.js';

/** A server may say nothing for so long while it fills an index or merges an insert. */
export const SILENCE_MS = 600_000;
/** More connections would never be used at once; the server has its own limit. */
export const CONNECTIONS = 64;
/** A server takes 128 KiB for a field of an address (`http_max_field_value_size`). */
const ADDRESS_BYTES_MAX = 100_000;
/** A node that has been silent for so long is asked whether it is there, where there are others. */
const FRESH_MS = 5000;
const PING_MS = 3000;
/** A request that failed with one of these was not sent at all. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The answer of a server, also to a statement that fails. The body is still to be read. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readable;
}

/** Tells where statements are sent. */
export interface ServerNode {
  /** It is waited for where it comes back by itself. @throws what keeps an answer from coming */
  send(request: Request): Promise<ServerAnswer>;
  /** It has answered. */
  heard(): void;
  isThere(): Promise<boolean>;
  /**
   * Makes an error of a failure. A failure that is no answer of the server's is a lost connection.
   */
  toError(error: unknown): WarehouseError;
  /**
   * Is called after a lost connection, for a server that comes back by itself. It resolves when the
   * server may be asked again.
   */
  readonly lost?: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes an error of a failure. A failure that is no answer of the server's is a lost connection.
 */
export function toServerError(error: unknown, name: string): WarehouseError {
  const known = toWarehouseError(error);
  if (known.code !== 0) return known;
  const message = `${name}: ${known.message}`;
  return new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', message, { cause: error });
}

/** One server, by its address. */
export class ClickHouseNode implements ServerNode {
  private readonly opened: ClickHouseClient;
  /** Messages name the server so, without the password. */
  private readonly host: string;
  private heardAt = -Infinity;

  /** @param url `http(s)://name:password@host:port` */
  constructor(url: string) {
    this.host = new URL(url).host;
    this.opened = createClient({
      url,
      application: 'millrace',
      request_timeout: SILENCE_MS,
      max_open_connections: CONNECTIONS,
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  async send(request: Request): Promise<ServerAnswer> {
    const answer = await this.opened.exec(parameters(request));
    const { stream, response_headers: headers, http_status_code: status = 0 } = answer;
    return { status, headers, body: stream };
  }

  close(): Promise<void> {
    return this.opened.close();
  }

  /** It has answered. */
  heard(): void {
    this.heardAt = performance.now();
  }

  /** A machine that is off refuses nothing: a request to it would wait for minutes. */
  async isThere(): Promise<boolean> {
    if (performance.now() - this.heardAt < FRESH_MS) return true;
    const { success } = await this.opened.ping({
      select: false,
      abort_signal: AbortSignal.timeout(PING_MS),
    });
    if (success) this.heard();
    return success;
  }

  toError(error: unknown): WarehouseError {
    return toServerError(error, `ClickHouse at ${this.host}`);
  }
}

/** Tells whether nothing of the request can have reached a server. */
export const wasUnsent = (error: unknown): boolean =>
  UNSENT.has((error as { code?: string }).code ?? '');

/** The client's own reading of errors takes words in brackets for their type: ours reads them. */
function parameters(request: Request) {
  const { query, settings, id, database, role, auth, params, file, signal } = request;
  return {
    query_id: id ?? randomUUID(),
    clickhouse_settings: settings,
    ignore_error_response: true,
    ...(role === undefined ? {} : { role }),
    ...(auth === undefined ? {} : { auth }),
    ...(params === undefined ? {} : { query_params: params }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
    ...(file === undefined ? { query } : withData(query, file)),
    http_headers: {
      ...(file === undefined ? {} : { 'Content-Encoding': 'zstd' }),
      ...(database === undefined ? {} : { 'X-ClickHouse-Database': database }),
    },
  };
}

/** The statement is in the address where that takes it, else before the data. */
function withData(query: string, file: string): { query: string; values: Readable } {
  if (Buffer.byteLength(query) <= ADDRESS_BYTES_MAX)
    return { query, values: createReadStream(file) };
  async function* body(): AsyncGenerator<Buffer> {
    yield statementFrame(`${query}\n`);
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  }
  return { query: '', values: Readable.from(body(), { objectMode: false }) };
}
