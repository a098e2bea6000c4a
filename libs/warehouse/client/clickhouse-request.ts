import type { ClickHouseSettings } from '@clickhouse/client';
import type { QueryProgress } from '../warehouse.js';

/** A statement on its way to a server. */
export interface Request {
  readonly query: string;
  readonly settings: ClickHouseSettings;
  /** The id of the statement on the server. A random one is used if it is absent. */
  readonly id?: string;
  readonly database?: string;
  /** The role for the statement, one of those that its user may take. */
  readonly role?: string;
  /** The user for the statement, if it is not the one in the address. */
  readonly auth?: { readonly username: string; readonly password: string };
  readonly params?: Readonly<Record<string, unknown>>;
  /** The data of an INSERT: a file compressed with zstd, by its absolute path. */
  readonly file?: string;
  readonly signal?: AbortSignal;
  /** A request that only reads may be sent to another node, too. */
  readonly isReading?: boolean;
  /** Is called with the rows and bytes that were read when the answer begins. */
  readonly onSummary?: (progress: QueryProgress) => void;
}
