import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MillraceError } from '@app/platform';
import { HOSTILE_STATEMENTS } from '../fixtures/hostile-statements.js';
import { MORE_HOSTILE_STATEMENTS } from '../fixtures/more-hostile-statements.js';
import { LEGITIMATE_STATEMENTS } from '../fixtures/legitimate-statements.js';
import { CANARY, OTHER, OWN, type GuardedEngine } from './guarded-engine.js';

interface Hostile {
  readonly id: string;
  readonly sql: string;
}

const SUITE = 'the guard, with a second organization beside';

type Refusal = [sql: string, status: number, message: string | RegExp];

/**
 * The guard must keep to this, whichever adapter has the tables.
 * @param step asks only each n-th hostile statement. Most are refused before the adapter is asked,
 * so an adapter can be tried with fewer.
 */
export const guardContract = (
  adapter: string,
  open: () => Promise<GuardedEngine>,
  step = 1,
): void =>
  describe(`${adapter}: ${SUITE}`, () => {
    let engine: GuardedEngine;
    const run = (sql: string, values?: Readonly<Record<string, string>>): Promise<string> =>
      engine.run(sql, values);

    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine.close());

    const hostile = JSON.parse(
      readFileSync(join(import.meta.dirname, '../fixtures/hostile-sql.json'), 'utf8'),
    ) as readonly Hostile[];
    const ours = [
      `SELECT * FROM ${OTHER}.secret`,
      `SELECT * FROM \`${OTHER}\`.\`secret\``,
      'SELECT * FROM system.tables',
      'SELECT * FROM `system`.`tables`',
      `SELECT 1 FROM t WHERE name IN ${OTHER}.secret`,
      `SELECT name IN (SELECT name FROM ${OTHER}.secret) FROM t`,
      `SELECT (SELECT any(name) FROM ${OTHER}.secret)`,
      `SELECT name FROM t UNION ALL SELECT name FROM ${OTHER}.secret`,
      'SELECT currentDatabase()',
      "SELECT file('{dir}/canary.txt')",
      "SELECT * FROM file('{dir}/canary.csv', CSVWithNames)",
      'SELECT * FROM `{dir}/canary.csv`',
      "SELECT * APPLY (x -> file('{dir}/canary.txt')) FROM t",
      "SELECT arrayMap(x -> file('{dir}/canary.txt'), [1])",
      `SELECT * FROM merge('${OTHER}', '.*')`,
      `SELECT * FROM t; SELECT * FROM ${OTHER}.secret`,
      `SELECT * FROM t) UNION ALL (SELECT * FROM ${OTHER}.secret`,
      `SELECT 1) SETTINGS max_execution_time = 0, limit = 1 --`,
      'SELECT * FROM t SETTINGS max_execution_time = 100',
      'DROP TABLE t',
      'INSERT INTO t (id) VALUES (1)',
      'USE system',
      'SYSTEM SHUTDOWN',
      'EXPLAIN SELECT * FROM t',
      'SELECT sleep(3)',
      'SELECT sleepEachRow(1) FROM t',
      "SELECT getSetting('readonly')",
      'SELECT hostName(), serverUUID(), currentUser()',
    ];

    it('knows enough hostile statements', () => {
      const written = [...ours, ...HOSTILE_STATEMENTS, ...MORE_HOSTILE_STATEMENTS];
      expect(hostile.length + written.length).toBeGreaterThan(450);
    });

    it.each(
      [
        ...[...ours, ...HOSTILE_STATEMENTS, ...MORE_HOSTILE_STATEMENTS].map((sql, index) => ({
          id: `own-${index}`,
          sql,
        })),
        ...hostile,
      ].filter((_, index) => index % step === 0),
    )(
      '$id: $sql',
      async ({ sql }) => {
        const statement = sql
          .replaceAll('{dir}', engine.directory)
          .replaceAll('{other}', OTHER)
          .replaceAll('{cluster}', 'default')
          .replace(/\borg_a\./g, `${OWN.database}.`)
          .replace(/\borg_b\b/g, OTHER);
        const answer = await run(statement).catch((error: unknown) => error as Error);
        if (typeof answer === 'string') {
          expect(answer).not.toContain(CANARY);
          expect(answer).not.toContain('o_');
          expect(answer).not.toContain('root:');
        } else {
          // The guard refuses it in our own words, which give nothing away, or a limit interrupts
          // it.
          expect(['MillraceError', 'WarehouseError']).toContain(answer.name);
          const { message, detail = '' } = answer as MillraceError;
          expect(message + detail).not.toContain(CANARY);
          expect((message + detail).replaceAll(statement, '')).not.toMatch(
            /EXPLAIN QUERY TREE|formatQuerySingleLine/,
          );
        }
        expect(readdirSync(engine.directory).sort()).toEqual([
          'batch.native',
          'canary.csv',
          'canary.txt',
          'engine',
          'out',
        ]);
        expect(existsSync(join(engine.directory, 'out1.txt'))).toBe(false);
      },
      15_000,
    );

    it('has left everything as it was', async () => {
      expect(
        await engine.warehouse.text({
          sql: 'SELECT count() FROM t',
          database: OWN.database,
          format: 'text',
        }),
      ).toBe('3\n');
      expect(
        await engine.warehouse.text({
          sql: 'SELECT count() FROM secret',
          database: OTHER,
          format: 'text',
        }),
      ).toBe('3\n');
    });

    it('knows enough legitimate ones', () => {
      expect(LEGITIMATE_STATEMENTS.length).toBeGreaterThan(150);
    });

    it.each(LEGITIMATE_STATEMENTS)('admits %s', async (sql, rows) => {
      expect(JSON.parse(await run(sql))).toEqual(rows);
    });

    it.each<Refusal>([
      ['SELEC 1', 400, /begins with SELECT.*did you mean "SELECT"/],
      ['DELETE FROM t', 400, /^DELETE is not taken: SQL only reads here/],
      ['update t SET a = 1', 400, /^UPDATE is not taken: SQL only reads here/],
      ['SELECT 1 +\n  FROM t WHERE', 400, /line \d/],
      ['SELECT nope FROM t', 400, /nope/],
      ['SELECT 1 FROM tt', 404, /no stream "tt".*did you mean "t"/],
      ['SELECT nofunction(1)', 400, /there is no function nofunction/],
      ...[
        'SELECT schema AS schema',
        'SELECT y AS schema, schema AS y FROM t ORDER BY schema',
        "SELECT y AS schema FROM t WHERE (schema AS y) != ''",
        "WITH schema AS y SELECT y AS schema FROM t WHERE schema = ''",
        "SELECT in('a', schema)",
        "SELECT 'a' AS schema UNION ALL SELECT name FROM t WHERE schema = ''",
      ].map((sql): Refusal => [sql, 403, /refused: schema is not allowed/]),
      [
        "SELECT name AS schema FROM t WHERE name = (SELECT schema) AND schema = ''",
        400,
        /cannot look at schema, which the SELECT around it computes/,
      ],
      ["SELECT in('a', currentDatabase)", 403, /refused: currentDatabase is not allowed/],
      ['SELECT currentUser', 403, /refused: currentUser is not allowed/],
      [
        "SELECT name FROM t WHERE currentUser LIKE 'o%'",
        403,
        /refused: currentUser is not allowed/,
      ],
      [
        "SELECT name AS database FROM t WHERE DATABASE = ''",
        403,
        /refused: DATABASE is not allowed/,
      ],
      [
        'SELECT splitpart(name) FROM t',
        400,
        /there is no function splitpart.*did you mean "split_part"/,
      ],
      ['SELECT hostName()', 403, /hostname is not allowed/i],
      ['SELECT 1 FORMAT JSON', 403, /FORMAT/],
      ['INSERT INTO t VALUES (1)', 403, /only one SELECT/],
      ['CREATE VIEW v AS SELECT 1 AS n', 403, /CREATE is none.*rows come by uploads/],
      ['SELECT 1 FROM (SELECT 1 SETTINGS join_use_nulls = 0)', 403, /SETTINGS can only stand/],
      ['WITH _rejected AS (SELECT 1 AS n) SELECT n FROM _rejected', 403, /_rejected.*of Millrace/],
      ['SELECT 1; SELECT 2', 400, /./],
      ['', 400, /empty/],
      ['SELECT 1\u0000', 400, /control character/],
      ['('.repeat(20_000), 400, /./],
      ["SELECT repeat('x', 1000000) FROM numbers(1000)", 413, /./],
      ['SELECT count() FROM numbers(1000000000000) WHERE number % 2', 413, /rows/],
      [
        'SELECT count() FROM numbers(9000000000) WHERE cityHash64(number) = 1',
        408,
        /longer than it may/,
      ],
    ])(
      'answers %s with %s',
      async (sql, status, message) => {
        const answer = await run(sql).catch((error: unknown) => error);
        expect(answer).toBeInstanceOf(MillraceError);
        expect((answer as MillraceError).status).toBe(status);
        expect((answer as MillraceError).message).toMatch(message);
      },
      15_000,
    );
  });
