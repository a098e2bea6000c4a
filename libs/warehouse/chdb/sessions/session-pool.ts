import type { Session } from 'chdb';
import { Pool } from '@app/flow';
import { asking, isCleared } from '../../child/open-sessions.mjs';

/** A session and its current database, so that the database is set only when it changes. */
class PooledSession {
  database: string | undefined;
  private opened: Session | undefined;
  private closed = false;

  constructor(private readonly open: () => Session) {}

  /** @throws once it is closed: a new one would open the engine again. */
  get session(): Session {
    if (this.closed) throw new Error('the engine is closed');
    return (this.opened ??= this.open());
  }

  /** Empties the session after a failure, so that no leftover comes with its next answer. */
  async clear(): Promise<void> {
    const { opened } = this;
    if (!opened || (await isCleared(asking(opened))) || this.closed) return;
    this.opened = undefined;
    this.database = undefined;
    opened.close();
  }

  close(): void {
    this.closed = true;
    this.opened?.close();
  }
}

export type SessionPool = Pool<PooledSession>;

export function sessionPool(open: () => Session, size: number): SessionPool {
  return new Pool(() => new PooledSession(open), size);
}
