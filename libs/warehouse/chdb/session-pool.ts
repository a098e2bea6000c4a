import type { Session } from 'chdb';

/** A session and the database it is in, so that it is only told again when that changes. */
export interface PooledSession {
  readonly session: Session;
  database: string | undefined;
}

/**
 * Sessions of one kind. A session does one thing at a time, so whoever needs one has it alone
 * until it is released; who comes late waits in order.
 */
export class SessionPool {
  private readonly idle: PooledSession[] = [];
  private readonly waiting: ((session: PooledSession) => void)[] = [];
  private readonly opened: PooledSession[] = [];

  constructor(
    private readonly open: () => Session,
    private readonly size: number,
  ) {}

  acquire(): Promise<PooledSession> {
    const free = this.idle.pop();
    if (free) return Promise.resolve(free);
    if (this.opened.length < this.size) {
      const fresh = { session: this.open(), database: undefined };
      this.opened.push(fresh);
      return Promise.resolve(fresh);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  release(session: PooledSession): void {
    const next = this.waiting.shift();
    if (next) next(session);
    else this.idle.push(session);
  }

  async use<T>(work: (session: PooledSession) => Promise<T>): Promise<T> {
    const session = await this.acquire();
    try {
      return await work(session);
    } finally {
      this.release(session);
    }
  }

  close(): void {
    for (const { session } of this.opened) session.close();
  }
}
