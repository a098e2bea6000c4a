import { text } from 'node:stream/consumers';
import { openGuardedEngine, OWN, type GuardedEngine } from '../contract/guarded-engine.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const ROUNDS = SHORT ? 40 : 2000;
const BASE =
  "SELECT name, count() AS n, max(v) AS top FROM t WHERE id > 0 AND name LIKE 'o%' GROUP BY name ORDER BY n DESC LIMIT 10";

async function times(rounds: number, work: (round: number) => Promise<unknown>): Promise<string> {
  const each: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work(round);
    each.push(performance.now() - started);
  }
  each.sort((a, b) => a - b);
  const at = (share: number): string => (each[Math.floor(rounds * share)] ?? 0).toFixed(3);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

/** The bench tells how much the guard adds to a small query: to one seen before, and to a new one. */
describe('guard', () => {
  let engine: GuardedEngine;
  beforeAll(async () => {
    engine = await openGuardedEngine();
    await engine.run(BASE);
  });
  afterAll(() => engine.close());

  it('measures', async () => {
    const { guard, warehouse } = engine;
    const values = { p: '0' };
    const bound = BASE.replace('id > 0', 'id > {p:Int64}');
    report('What the guard costs a small query', [
      [
        'the query alone',
        await times(ROUNDS, async () =>
          text(await warehouse.stream({ sql: BASE, database: OWN.database, format: 'json' })),
        ),
      ],
      [
        'the query with the guard, a turn and the pipeline, seen before',
        await times(ROUNDS, () => engine.run(BASE)),
      ],
      ['the verdict alone, seen before', await times(ROUNDS, () => guard.admit(BASE, OWN))],
      [
        'the verdict alone, seen before, another value',
        await times(ROUNDS, (round) => guard.admit(bound, OWN, { ...values, p: String(round) })),
      ],
      [
        'the verdict alone, new each time',
        await times(ROUNDS / 4, (round) =>
          guard.admit(BASE.replace('id > 0', `id > ${round}`), OWN),
        ),
      ],
    ]);
    expect(ROUNDS).toBeGreaterThan(0);
  }, 300_000);
});
