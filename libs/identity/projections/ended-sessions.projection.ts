import type { RecordedEvent, SnapshottedProjection } from '@app/event-store';

/** A user has signed out. Their session becomes invalid at every node. */
export interface SessionEnded {
  readonly type: 'SessionEnded';
  readonly data: {
    readonly sessionId: string;
    /** The time when it would have expired, in ISO 8601 and UTC. */
    readonly expiresAt: string;
    /** The user of the session. It is absent for the session of a token. */
    readonly userId?: string;
  };
}

type Entry = readonly [sessionId: string, expiresAt: number];

/** Sessions that were ended before they expired. After their expiry they are forgotten here. */
export class EndedSessionsProjection implements SnapshottedProjection {
  readonly name = 'ended-sessions';
  readonly snapshotVersion = 1;
  /**
   * The time of expiry in milliseconds since the epoch, by id, in the order in which the sessions
   * were ended.
   */
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

  /** All sessions have the same length, so the first ones are roughly the first to expire. */
  private forget(now: number): void {
    for (const [id, expiresAt] of this.ended) {
      if (expiresAt > now) return;
      this.ended.delete(id);
    }
  }
}
