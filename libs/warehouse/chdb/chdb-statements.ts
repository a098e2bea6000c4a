import { toWarehouseError } from '../warehouse-errors.js';
import type { LocalEngine } from '../warehouse.js';
import type { SessionPool } from './sessions/session-pool.js';

/** Runs statements that are trusted, one per session at a time. */
export class ChdbStatements implements Pick<LocalEngine, 'run'> {
  constructor(private readonly sessions: SessionPool) {}

  run(sql: string, params?: Readonly<Record<string, string>>): Promise<string> {
    return this.sessions.use(async (pooled) => {
      try {
        const { session } = pooled;
        const options = { format: 'TSVRaw' };
        const result = params
          ? await session.queryBindAsync(sql, params, options)
          : await session.queryAsync(sql, options);
        return result.text();
      } catch (error) {
        await pooled.clear();
        throw toWarehouseError(error);
      }
    });
  }
}
