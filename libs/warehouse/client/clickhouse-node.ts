import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { NETWORK_ERROR, toWarehouseError, WarehouseError } from '../warehouse-errors.js';
import type { Request } from './clickhouse-request.js';
import { statementFrame } from './statement-frame.js';
import type { Headers } from './whole-answer.js';

/** The time for which a server may be silent, while it fills an index or merges an insert. */
export const SILENCE_MS = 600_000;
/** More connections would never be used at once; the server has its own limit. */
export const CONNECTIONS = 64;
/** A server takes 128 KiB for a field of an address (`http_max_field_value_size`). */
const ADDRESS_BYTES_MAX = 100_000;
/** After so long a silence, a node is asked whether it is alive, if there are other nodes. */
const FRESH_MS = 5000;
const PING_MS = 3000;
/** If a request failed with one of these codes, it was not sent at all. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The answer of a server, also for a failed statement. The body has not been read yet. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readable;
}

/** The target of statements. */
export interface ServerNode {
  /**
   * Sends a statement. It waits if the server is restarted automatically.
   * @throws the failure if no answer comes
   */
  send(request: Request): Promise<ServerAnswer>;
  /** Is called when the server has answered. */
  heard(): void;
  isThere(): Promise<boolean>;
  /**
   * Converts a failure to an error. Without an answer of the server it counts as a lost connection.
   */
  toError(error: unknown): WarehouseError;
  /**
   * Is called after a lost connection to a server that is restarted automatically. It resolves when
   * the server may be asked again.
   */
  readonly lost?: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Converts a failure to an error. Without an answer of the server it counts as a lost connection.
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
  /** Messages use this name for the server, without the password. */
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

  /** Is called when the server has answered. */
  heard(): void {
    this.heardAt = performance.now();
  }

  /** A machine without power refuses no connection, so a request to it would wait for minutes. */
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

/** Tells whether the request certainly did not reach a server. */
export const wasUnsent = (error: unknown): boolean =>
  UNSENT.has((error as { code?: string }).code ?? '');

/** The client takes words in brackets in an error for its type, so the error is read here. */
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

/** The statement is in the address if that is allowed, or else before the data. */
function withData(query: string, file: string): { query: string; values: Readable } {
  if (Buffer.byteLength(query) <= ADDRESS_BYTES_MAX)
    return { query, values: createReadStream(file) };
  async function* body(): AsyncGenerator<Buffer> {
    yield statementFrame(`${query}\n`);
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  }
  return { query: '', values: Readable.from(body(), { objectMode: false }) };
}
