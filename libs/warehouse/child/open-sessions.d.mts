import type { Session } from 'chdb';

/** The session that a query wants. */
export interface WantedSession {
  /** The arguments of the engine's session. */
  readonly args: readonly string[];
  /** Quoted. */
  readonly database: string;
  /** Statements for the session before the query; none of them answers anything. */
  readonly before: readonly string[];
}

/**
 * Clears a session: a statement that failed or was given up may still hold something, which comes
 * with the session's next answer. Here it goes to nobody. Answers whether the session is rid of it.
 */
export function isCleared(ask: (sql: string) => Promise<string>): Promise<boolean>;

/** How to ask a session for plain text. */
export function asking(session: Session): (sql: string) => Promise<string>;

/** Engine's sessions by their arguments, for one query at a time. */
export class OpenSessions {
  /** @param path of the engine's data. */
  constructor(path: string);
  /** A session with these arguments, in this database, after these statements. */
  ready(wanted: WantedSession): Promise<Session>;
  /**
   * Must be called after a statement that failed or was given up; see {@link isCleared}. A session
   * that still holds an answer is closed.
   */
  clear(session: Session): Promise<void>;
  close(): void;
}
