import { OpenSessions, type WantedSession } from '../child/open-sessions.mjs';

interface WholeReading extends WantedSession {
  readonly sql: string;
  readonly format: string;
}

/**
 * Answers that are held whole, of one query at a time: all the engine does for one is one call on
 * libuv's pool, analysis too, where a stream goes to and fro between three threads.
 */
export class WholeAnswers {
  private readonly sessions: OpenSessions;

  /** @param path of the engine's data. */
  constructor(path: string) {
    this.sessions = new OpenSessions(path);
  }

  /** Reads the answer as the engine formats it; empty when it goes into a file. */
  async read(reading: WholeReading): Promise<Buffer> {
    const session = await this.sessions.ready(reading);
    try {
      const bytes = (await session.queryAsync(reading.sql, { format: reading.format })).bytes();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch (error) {
      await this.sessions.clear(session);
      throw error;
    }
  }

  close(): void {
    this.sessions.close();
  }
}
