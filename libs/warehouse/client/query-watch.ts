import { setTimeout as delay } from 'node:timers/promises';
import { KeyedCounter } from '@app/flow';
import { quoteText } from '../ddl/identifier.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { PacedError, WarehouseError } from '../warehouse-errors.js';

/** Ends queries by force, where the engine cannot. */
interface Forcing {
  /** The engine is there without the query when this resolves; whatever else it was doing is lost too. */
  force(queryId: string): Promise<void>;
}

export interface Watched {
  readonly id: string;
  readonly database: string | undefined;
  /** Milliseconds of `performance.now()`. */
  readonly begunAt: number;
  /** Tells who waits for the answer that there will be none. */
  readonly stop: (reason: Error) => void;
}

/** The engine has so long beyond a query's limit before it is told to end it. */
const GRACE_MS = 250;
/** So many looks at the engine see whether it has ended it. */
const LOOKS = 7;
const LOOK_MS = 100;
const LOOK_MAX_MS = 500;
/**
 * An engine that answers late is busy, and a busy one ends a query late too. So the next look comes
 * after so many times what the last one took: ending the engine costs everyone's queries.
 */
const BUSY_TIMES = 10;
/** Queries given up by their clients that the engine may be ending at a time, of an organization. */
const GIVEN_UP_MAX = 4;
/** Tells how long an organization waits whose query could not be ended. */
const PACED_MS = 3 * 60_000;

/**
 * Sees to it that a query which is past its limit, or whose client has left, is gone from the
 * engine. Most end by themselves; others when they are told to. A function that works on one block
 * for minutes hears of nothing: then the engine is ended, and the organization has to wait.
 */
export class QueryWatch {
  private readonly paced = new Map<string, number>();
  private readonly givenUp = new KeyedCounter();

  constructor(
    private readonly control: SqlRunner,
    private readonly forcing: Forcing,
    private readonly timeoutMs: number,
  ) {}

  /** @throws {PacedError} */
  admit(database: string | undefined): void {
    const until = database === undefined ? undefined : this.paced.get(database);
    if (until === undefined || database === undefined) return;
    const left = until - performance.now();
    if (left > 0) throw new PacedError(Math.ceil(left / 1000));
    this.paced.delete(database);
  }

  /** @returns what tells that the answer is whole, or that it has failed. */
  watch(query: Watched): () => void {
    const late = setTimeout(
      () => void this.end(query, performance.now()),
      this.timeoutMs + GRACE_MS,
    ).unref();
    return () => clearTimeout(late);
  }

  /** Its client has left. Resolves when the engine has let go of it. */
  async giveUp(query: Watched): Promise<void> {
    const { database = '' } = query;
    const count = this.givenUp.add(database, 1);
    try {
      const limit = query.begunAt + this.timeoutMs + GRACE_MS;
      await this.end(query, count > GIVEN_UP_MAX ? performance.now() : limit);
    } finally {
      this.givenUp.add(database, -1);
    }
  }

  /** @param limit until when it may take its time to end */
  private async end(query: Watched, limit: number): Promise<void> {
    // A failure here comes with one of the engine, and the query fails with it.
    try {
      if (!(await this.runs(query))) return;
      // It may but wait for a client that takes nothing: with the connection gone, it ends.
      query.stop(new WarehouseError(159, 'TIMEOUT_EXCEEDED', 'it took longer than it may'));
      await this.control.command(`KILL QUERY WHERE ${of(query)} ASYNC`);
      for (let looks = 1; ; looks += 1) {
        const askedAt = performance.now();
        if (!(await this.runs(query))) return;
        const now = performance.now();
        if (looks >= LOOKS && now > limit) break;
        await delay(Math.min(LOOK_MAX_MS, Math.max(LOOK_MS, (now - askedAt) * BUSY_TIMES)));
      }
      this.pace(query.database);
      await this.forcing.force(query.id);
    } catch (error) {
      if (!(error instanceof WarehouseError)) throw error;
    }
  }

  private pace(database: string | undefined): void {
    if (database === undefined) return;
    const now = performance.now();
    for (const [each, until] of this.paced) if (until <= now) this.paced.delete(each);
    this.paced.set(database, now + PACED_MS);
  }

  private async runs(query: Watched): Promise<boolean> {
    const rows = await this.control.rows(`SELECT 1 FROM system.processes WHERE ${of(query)}`);
    return rows.length > 0;
  }
}

const of = ({ id }: Watched): string => `query_id = ${quoteText(id)}`;
