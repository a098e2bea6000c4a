import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { NETWORK_ERROR, toWarehouseError, WarehouseError } from '../warehouse-errors.js';

/** Of a server that says nothing while it works: an index is filled, an insert is merged. */
const SILENCE_MS = 600_000;
/** As many as would ever be asked at once; the server has its own limit. */
const CONNECTIONS = 64;
/** After so long without a word from it a node is asked whether it is there, where there are others. */
const FRESH_MS = 5000;
const PING_MS = 3000;
/** What keeps a request from being sent at all. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Where statements are sent. */
export interface ServerNode {
  /** It is waited for where it comes back by itself. @throws {WarehouseError} */
  client(): Promise<ClickHouseClient>;
  /** It has answered. */
  heard(): void;
  isThere(): Promise<boolean>;
  /** What is no answer of the server's is a lost connection. */
  toError(error: unknown): WarehouseError;
  /** After a lost connection; of one that comes back by itself: resolves when it may be asked again. */
  readonly lost?: () => Promise<void>;
  close(): Promise<void>;
}

/** @param at where it is not the address that names the path, and who asks */
export function openClient(
  url: string,
  at: { readonly pathname?: string; readonly username?: string; readonly password?: string } = {},
): ClickHouseClient {
  return createClient({
    url,
    ...at,
    application: 'millrace',
    request_timeout: SILENCE_MS,
    max_open_connections: CONNECTIONS,
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** What is no answer of the server's is a lost connection. */
export function toServerError(error: unknown, name: string): WarehouseError {
  const known = toWarehouseError(error);
  if (known.code !== 0) return known;
  const message = `${name}: ${known.message}`;
  return new WarehouseError(NETWORK_ERROR, 'NETWORK_ERROR', message, { cause: error });
}

/** One server, by its address. */
export class ClickHouseNode implements ServerNode {
  private readonly opened: ClickHouseClient;
  /** For messages: without the password. */
  private readonly host: string;
  private heardAt = -Infinity;

  /** @param url `http(s)://name:password@host:port` */
  constructor(url: string) {
    this.host = new URL(url).host;
    this.opened = openClient(url);
  }

  client(): Promise<ClickHouseClient> {
    return Promise.resolve(this.opened);
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

/** Whether nothing of the request can have reached a server. */
export const wasUnsent = (error: unknown): boolean =>
  UNSENT.has((error as { code?: string }).code ?? '');
