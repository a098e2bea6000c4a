import type { Session } from 'chdb';

/** The session that a query needs. */
export interface WantedSession {
  /** The arguments of the engine's session. */
  readonly args: readonly string[];
  /** Quoted. */
  readonly database: string;
  /** Statements for the session before the query; none of them has a result. */
  readonly before: readonly string[];
}

/**
 * Clears a session. After a failed or cancelled statement it may still hold something that would
 * come with its next answer. Here that is read and dropped.
 * @returns whether nothing is left
 */
export function isCleared(ask: (sql: string) => Promise<string>): Promise<boolean>;

/** Returns a function that asks a session for plain text. */
export function asking(session: Session): (sql: string) => Promise<string>;

/** Engine's sessions by their arguments, for one query at a time. */
export class OpenSessions {
  /** @param path of the engine's data. */
  constructor(path: string);
  /** A session with these arguments, in this database, after these statements. */
  ready(wanted: WantedSession): Promise<Session>;
  /**
   * Must be called after a failed or cancelled statement; see {@link isCleared}. A session that
   * still holds an answer is closed.
   */
  clear(session: Session): Promise<void>;
  close(): void;
}
