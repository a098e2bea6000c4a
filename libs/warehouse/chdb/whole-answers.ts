import { OpenSessions, type WantedSession } from '../child/open-sessions.mjs';

interface WholeReading extends WantedSession {
  readonly sql: string;
  readonly format: string;
}

/**
 * Reads answers into memory, of one query at a time. The engine does all work for one answer, also
 * the analysis, in one call on libuv's pool, while a stream goes back and forth between three
 * threads.
 */
export class WholeAnswers {
  private readonly sessions: OpenSessions;

  /** @param path of the engine's data. */
  constructor(path: string) {
    this.sessions = new OpenSessions(path);
  }

  /** Reads the answer as the engine formats it; empty when it is written to a file. */
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
