// @ts-check
// Sessions of one reader; plain JavaScript since the reading thread uses it too: see read-in-thread.mjs.
import { Session } from 'chdb';

/** @typedef {{ session: Session, database: string | undefined }} OpenSession */
/** @typedef {{ readonly args: readonly string[], readonly database: string, readonly before: readonly string[] }} Wanted */

/** Few combinations of arguments, since these are formats and allowed settings. */
const SESSIONS_MAX = 4;
const NOTHING_LEFT = '1\n';

/**
 * Clears a session. A statement that failed or was given up may leave an answer behind, which would
 * come with the session's next answer. Here it is read and dropped.
 * @param {(sql: string) => Promise<string>} ask the session
 * @returns {Promise<boolean>} whether nothing is left
 */
export async function isCleared(ask) {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if ((await ask('SELECT 1').catch(() => undefined)) === NOTHING_LEFT) return true;
  }
  return false;
}

/** @param {Session} session @returns {(sql: string) => Promise<string>} in plain text */
export const asking = (session) => async (sql) =>
  (await session.queryAsync(sql, { format: 'TSVRaw' })).text();

/** Engine's sessions by their arguments, for one query at a time. */
export class OpenSessions {
  /** @type {Map<string, OpenSession>} */
  #sessions = new Map();
  #path;

  /** @param {string} path of the engine's data */
  constructor(path) {
    this.#path = path;
  }

  /**
   * A session with these arguments, in this database, after these statements.
   * @param {Wanted} wanted @returns {Promise<Session>}
   */
  async ready({ args, database, before }) {
    const open = this.#with(args);
    const { session } = open;
    try {
      if (open.database !== database) {
        open.database = undefined;
        await session.queryAsync(`USE ${database}`);
        open.database = database;
      }
      for (const statement of before) await session.queryAsync(statement);
    } catch (error) {
      await this.clear(session);
      throw error;
    }
    return session;
  }

  /**
   * Must be called after a statement that failed or was given up; see {@link isCleared}. A session
   * that still holds an answer is closed.
   * @param {Session} session
   */
  async clear(session) {
    if (await isCleared(asking(session))) return;
    for (const [key, open] of this.#sessions)
      if (open.session === session) this.#sessions.delete(key);
    session.close();
  }

  close() {
    for (const { session } of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  /** @param {readonly string[]} args @returns {OpenSession} */
  #with(args) {
    const key = args.join('\0');
    let open = this.#sessions.get(key);
    if (!open) {
      for (const [oldest, { session }] of this.#sessions) {
        if (this.#sessions.size < SESSIONS_MAX) break;
        session.close();
        this.#sessions.delete(oldest);
      }
      const connectionArgs = [...args];
      open = { session: new Session(this.#path, { connectionArgs }), database: undefined };
    }
    // The last used stands last.
    this.#sessions.delete(key);
    this.#sessions.set(key, open);
    return open;
  }
}
