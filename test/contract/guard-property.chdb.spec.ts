import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { statements } from '../fixtures/generated-statements.js';
import { rounds, roundsMs } from '../rounds.js';
import { CANARY, openGuardedEngine, OTHER, OWN, type GuardedEngine } from './guarded-engine.js';

const RUNS = rounds(4, 60);
const STATEMENTS = 60;
/** No answer may contain this text. */
const SECRET = new RegExp(`${CANARY}|\\bo_[0-9a-f]{32}`);

/** A tenant gets this for a statement: rows, or an error's words. */
interface Outcome {
  readonly admitted: boolean;
  readonly told: string;
}

const ASKED_AGAIN = 20;

/** Rows without ORDER BY come in any order. */
const inOrder = (answer: string): string =>
  answer
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .sort()
    .join('\n');

describe('any statement of a tenant reads nothing but its own streams', () => {
  let engine: GuardedEngine;
  let changes = 0;

  beforeAll(async () => {
    engine = await openGuardedEngine();
    // A statement that lists tables would show this one.
    await engine.warehouse.createTable({ database: OTHER, table: CANARY }, [], '01S');
  });
  afterAll(() => engine.close());

  async function outcome(sql: string): Promise<Outcome> {
    try {
      return { admitted: true, told: inOrder(await engine.run(sql)) };
    } catch (error) {
      const { name, message } = error as Error;
      expect([name, message]).toEqual([
        expect.stringMatching(/^(?:Millrace|Warehouse)Error$/),
        message,
      ]);
      const refused = error instanceof MillraceError && error.kind === 'STATEMENT_REFUSED';
      return { admitted: !refused, told: `${message} ${(error as MillraceError).detail ?? ''}` };
    }
  }

  /** Everything that a tenant must not see has changed by now. */
  async function changeTheWorld(): Promise<void> {
    changes += 1;
    const table = `${CANARY}-${changes}`;
    await engine.warehouse.createTable({ database: OTHER, table }, [], '01S');
    writeFileSync(join(engine.directory, 'canary.txt'), `${CANARY} ${changes}`);
    writeFileSync(join(engine.directory, 'canary.csv'), `token\n${CANARY}\n${changes}\n`);
    const file = join(engine.directory, 'batch.native');
    await engine.warehouse.insert({
      table: { database: OTHER, table: 'secret' },
      streamId: '01S',
      columns: ['_timestamp', 'id', 'name', 'v', 'tags', 'doc'],
      batches: [{ position: { partition: 1, offset: BigInt(changes) }, file }],
    });
  }

  /**
   * Asks the same again. A LIMIT without ORDER BY may give other rows each time, so the answer
   * counts only if it is the same as before.
   */
  async function again(sql: string, before: Outcome | undefined): Promise<Outcome> {
    let now = await outcome(sql);
    for (let more = 0; more < ASKED_AGAIN && now.told !== before?.told; more += 1)
      now = await outcome(sql);
    return now;
  }

  /** Tables that the engine itself resolves an admitted statement to. */
  async function resolvedTables(sql: string): Promise<string[]> {
    const { statement } = await engine.guard.admit(sql, OWN);
    if (/^EXPLAIN/.test(statement)) return [];
    const tree = await engine.warehouse.text({
      sql: `EXPLAIN QUERY TREE ${statement}`,
      database: OWN.database,
      format: 'text',
    });
    return [...tree.matchAll(/^ *TABLE id: .*?table_name: (\S+?)(?:,|$)/gm)].map(
      ([, name]) => name ?? '',
    );
  }

  it(
    'by canaries, by what the engine resolves, and by a world that changes without a trace',
    async () => {
      const foreign = {
        tables: [
          'system.one',
          'system.databases',
          'system.tables',
          '`system`.`tables`',
          'INFORMATION_SCHEMA.tables',
          `${OTHER}.secret`,
          `${OTHER}.t`,
          `\`${OTHER}.secret\``,
          '_audit',
          'secret',
        ],
        files: [join(engine.directory, 'canary.txt'), join(engine.directory, 'canary.csv')],
      };
      let admitted = 0;
      let refused = 0;
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(statements(foreign), { minLength: STATEMENTS, maxLength: STATEMENTS }),
          async (batch) => {
            const before: Outcome[] = [];
            for (const sql of batch) before.push(await outcome(sql));
            await changeTheWorld();
            for (const [index, sql] of batch.entries()) {
              const first = before[index];
              // A refusal may repeat what it refuses.
              const told = first?.told.replaceAll(OTHER, sql.includes(OTHER) ? '' : OTHER) ?? '';
              expect([sql, SECRET.exec(told)]).toEqual([sql, null]);
              expect([sql, await again(sql, first)]).toEqual([sql, first]);
              if (!first?.admitted) {
                refused += 1;
                continue;
              }
              admitted += 1;
              if (!/^\[/m.test(first.told)) continue;
              answered += 1;
              for (const table of await resolvedTables(sql))
                expect([sql, table]).toEqual([
                  sql,
                  expect.stringMatching(new RegExp(`^(?:${OWN.database}\\.|system\\.one$)`)),
                ]);
            }
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      );
      // A test in which hardly anything is refused would prove nothing.
      expect(refused).toBeGreaterThan((RUNS * STATEMENTS) / 5);
      expect(admitted).toBeGreaterThan((RUNS * STATEMENTS) / 5);
      expect(answered).toBeGreaterThan((RUNS * STATEMENTS) / 20);
    },
    roundsMs(RUNS, 20_000),
  );
});
