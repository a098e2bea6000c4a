import { setTimeout as delay } from 'node:timers/promises';
import { KeyedCounter } from '@app/flow';
import { quoteText } from '../ddl/identifier.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import { PacedError, WarehouseError } from '../warehouse-errors.js';

/** Ends queries by force if the engine cannot end them. */
interface Forcing {
  /** When this resolves, the engine runs without the query. All its other work is lost too. */
  force(queryId: string): Promise<void>;
}

export interface Watched {
  readonly id: string;
  readonly database: string | undefined;
  /** The time in milliseconds of `performance.now()`. */
  readonly begunAt: number;
  /** Tells the waiting code that there will be no answer. */
  readonly stop: (reason: Error) => void;
}

/** Beyond a query's limit the engine has so long before it is told to end the query. */
const GRACE_MS = 250;
/** The number of checks whether the engine has ended it. */
const LOOKS = 7;
const LOOK_MS = 100;
const LOOK_MAX_MS = 500;
/**
 * A busy engine answers late, and ends a query late too. So the next check comes after a multiple
 * of the time that the last one took, because restarting the engine costs the queries of everybody.
 */
const BUSY_TIMES = 10;
/** The number of cancelled queries of an organization that the engine may be ending at a time. */
const GIVEN_UP_MAX = 4;
/**
 * The time for which an organization must wait after one of its queries had to be ended by force.
 */
const PACED_MS = 3 * 60_000;

/**
 * Makes sure that a query beyond its limit, or without its client, leaves the engine. Most end by
 * themselves; others when they are told to. A function that works on one block for minutes cannot
 * be told. Then the engine is restarted, and the organization has to wait.
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

  /** @returns a function to call when the answer is complete, or has failed. */
  watch(query: Watched): () => void {
    const late = setTimeout(
      () => void this.end(query, performance.now()),
      this.timeoutMs + GRACE_MS,
    ).unref();
    return () => clearTimeout(late);
  }

  /** The client has left. Resolves when the engine has ended the query. */
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

  /** @param limit the time until which the query may still end by itself */
  private async end(query: Watched, limit: number): Promise<void> {
    // A failure here comes with a failure of the engine, so the query fails too.
    try {
      if (!(await this.runs(query))) return;
      // The query may only be waiting for a client that takes nothing. It ends when the connection
      // is closed.
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
