import { setTimeout as delay } from 'node:timers/promises';
import type { SqlRunner } from '../sql/sql-runner.js';
import { PacedError } from '../warehouse-errors.js';
import { QueryWatch, type Watched } from './query-watch.js';

const DATABASE = 'o_a';

/** An engine with one query, which takes its time to answer and to end that query. */
class BusyEngine implements SqlRunner {
  private endsAt = Infinity;
  forced = false;

  constructor(
    private readonly answerMs: number,
    private readonly endMs: number,
  ) {}

  async command(): Promise<void> {
    await delay(this.answerMs);
    this.endsAt = performance.now() + this.endMs;
  }

  async rows<Row>(): Promise<Row[]> {
    await delay(this.answerMs);
    return performance.now() < this.endsAt ? [{ 1: 1 } as Row] : [];
  }

  force(): Promise<void> {
    this.forced = true;
    return Promise.resolve();
  }
}

async function afterGivenUp(engine: BusyEngine): Promise<QueryWatch> {
  const watch = new QueryWatch(engine, engine, 0);
  const query: Watched = {
    id: 'q',
    database: DATABASE,
    begunAt: performance.now(),
    stop: () => undefined,
  };
  await watch.giveUp(query);
  return watch;
}

describe('a query past its limit', () => {
  it('is waited for while the engine is so busy that it answers late', async () => {
    const engine = new BusyEngine(50, 1500);
    const watch = await afterGivenUp(engine);
    expect(engine.forced).toBe(false);
    expect(() => watch.admit(DATABASE)).not.toThrow();
  });

  it('is ended by force where the engine answers and does not end it', async () => {
    const engine = new BusyEngine(1, Infinity);
    const begunAt = performance.now();
    const watch = await afterGivenUp(engine);
    expect(engine.forced).toBe(true);
    expect(performance.now() - begunAt).toBeGreaterThan(500);
    expect(() => watch.admit(DATABASE)).toThrow(PacedError);
  });
});
