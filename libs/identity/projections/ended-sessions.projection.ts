import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';

/** Somebody has signed out: their session opens nothing any more, at any node. */
export interface SessionEnded {
  readonly type: 'SessionEnded';
  readonly data: {
    readonly sessionId: string;
    /** ISO 8601, UTC: when it would have ended by itself. */
    readonly expiresAt: string;
    /** The user of the session. It is absent for the session of a token. */
    readonly userId?: string;
  };
}

type Entry = readonly [sessionId: string, expiresAt: number];

/** Sessions that were ended before their time. Once that has come they are forgotten here. */
export class EndedSessionsProjection implements SnapshottedProjection {
  readonly name = 'ended-sessions';
  readonly snapshotVersion = 1;
  /** Milliseconds since the epoch, by id. In the order in which they were ended. */
  private readonly ended = new Map<string, number>();

  apply({ type, data }: RecordedEvent): void {
    if (type !== 'SessionEnded') return;
    const { sessionId, expiresAt } = data as SessionEnded['data'];
    this.forget(Date.now());
    this.ended.set(sessionId, Date.parse(expiresAt));
  }

  has(sessionId: string): boolean {
    return this.ended.has(sessionId);
  }

  snapshot(): readonly Entry[] {
    return [...this.ended];
  }

  restore(state: unknown): void {
    for (const [id, expiresAt] of state as readonly Entry[]) this.ended.set(id, expiresAt);
  }

  /** All live equally long, so the first ones are about the first to be over. */
  private forget(now: number): void {
    for (const [id, expiresAt] of this.ended) {
      if (expiresAt > now) return;
      this.ended.delete(id);
    }
  }
}
