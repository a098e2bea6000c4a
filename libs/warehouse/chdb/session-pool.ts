import type { Session } from 'chdb';
import { Pool } from './pool.js';

/** A session and the database it is in, so that it is only told again when that changes. */
export interface PooledSession {
  readonly session: Session;
  database: string | undefined;
}

export type SessionPool = Pool<PooledSession>;

export function sessionPool(open: () => Session, size: number): SessionPool {
  return new Pool<PooledSession>(() => ({ session: open(), database: undefined }), size);
}
