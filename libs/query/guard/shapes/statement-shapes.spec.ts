import type { RequestOrganization } from '@app/platform';
import { MillraceError } from '@app/platform';
import { refused } from '../refused.js';
import { Verdicts } from '../verdicts.js';
import { comparedLiterals } from './compared-literals.js';
import { StatementShapes } from './statement-shapes.js';
import { Template } from './template.js';

const valuesOf = (sql: string): readonly string[] =>
  (comparedLiterals(sql) ?? []).map(({ value }) => value);

describe('values that a statement compares with', () => {
  it.each([
    ["SELECT id FROM t WHERE name = 'a' AND id IN (1, 2)", ['a', '1', '2']],
    ["SELECT id FROM (SELECT id FROM t WHERE name = 'a') AS s WHERE id > 7", ['a', '7']],
    ["SELECT t.id FROM t JOIN (SELECT id FROM u WHERE name = 'a') AS s ON t.id = s.id", ['a']],
    ["WITH w AS (SELECT id FROM t WHERE name = 'a') SELECT * FROM w WHERE id < 5", ['a', '5']],
    ['SELECT id FROM t WHERE id > 2 UNION ALL SELECT id FROM u WHERE id > 3', ['2', '3']],
    ['SELECT name, sum(id) AS n FROM t GROUP BY name HAVING n > 5 ORDER BY n LIMIT 9', ['5']],
    ['SELECT id FROM t WHERE (id = 2 OR NOT (id = 3)) LIMIT 1 BY id LIMIT 5', ['2', '3']],
    [
      'SELECT id FROM t WHERE x > 51.001 AND y BETWEEN 0.5 AND 123456789.123456',
      ['51.001', '0.5', '123456789.123456'],
    ],
  ])('are found: %s', (sql, values) => {
    expect(valuesOf(sql)).toEqual(values);
  });

  it.each([
    'SELECT id FROM t WHERE x > 51.0 OR x < 1.50 OR x = 0.05 OR x = .5 OR x = 5. OR x = 05.5',
    'SELECT id FROM t WHERE x > 1234567890.5 OR x < 0.1234567 OR x = 1.5e3 OR x = -1.5',
    "SELECT id, (SELECT max(id) FROM u WHERE name = 'a') FROM t",
    "SELECT CASE WHEN id IN (SELECT id FROM u WHERE name IN ('a', 'b')) THEN 1 ELSE 0 END FROM t",
    "SELECT EXISTS (SELECT id FROM u WHERE name = 'a') FROM t",
    "SELECT id IS DISTINCT FROM (SELECT max(id) FROM u WHERE name = 'a') FROM t",
    "SELECT id AS from, (SELECT max(id) FROM u WHERE name = 'a') FROM t",
    "SELECT id AS where, CASE WHEN name = 'a' OR id > 3 THEN 1 ELSE 0 END FROM t",
    "SELECT 1 AS from, 2 AS where, CASE WHEN name = 'a' OR id > 3 THEN 1 ELSE 0 END",
    "SELECT t.where, CASE WHEN name = 'a' OR id > 3 THEN 1 ELSE 0 END",
    "SELECT 1 AS from, * EXCEPT (id), 1 AS where, CASE WHEN name = 'a' OR id > 3 THEN 1 END FROM t",
    "SELECT id FROM t ORDER BY (SELECT max(id) FROM u WHERE name = 'a')",
    "SELECT count() FROM t GROUP BY id IN (SELECT id FROM u WHERE name = 'a')",
    "SELECT id FROM t WHERE id IN (SELECT id FROM u WHERE name = 'a')",
    "WITH (SELECT max(id) FROM u WHERE name = 'a') AS x SELECT x FROM t",
    `SELECT id FROM t WHERE id IN (${Array.from({ length: 17 }, (_, at) => at + 2).join(', ')})`,
    `SELECT id FROM t WHERE id = 2${' '.repeat(5000)}`,
  ])('are none where a column may be named by them, or where it costs much: %s', (sql) => {
    expect(valuesOf(sql)).toEqual([]);
  });
});

describe('a template', () => {
  const markers = [{ kind: 'text', value: 'mark', literal: "'mark'" }] as const;
  const value = (text: string) => [{ kind: 'text', value: text, start: 0, end: 0 }] as const;

  it('takes a value where a marker was', () => {
    const template = Template.of("SELECT id FROM t WHERE name = 'mark'", markers);
    expect(template?.fill(value('a'))).toBe("SELECT id FROM t WHERE name = 'a'");
  });

  it.each([
    "SELECT name = 'mark' FROM t",
    "SELECT id FROM t WHERE id > 2 ORDER BY name = 'mark'",
    "SELECT (SELECT max(id) FROM u WHERE name = 'mark') FROM t",
    "SELECT id FROM t WHERE name = 'mark' OR name = 'mark'",
  ])('is none of %s', (admitted) => {
    expect(Template.of(admitted, markers)).toBeUndefined();
  });

  it('takes a fraction where one of as many digits was, and not within another number', () => {
    const fractions = [{ kind: '2.3', value: '88.887', literal: '88.887' }] as const;
    const template = Template.of('SELECT id FROM t WHERE (x > 88.887) AND (y > 98)', fractions);
    const filled = template?.fill([{ kind: '2.3', value: '51.001', start: 0, end: 0 }]);
    expect(filled).toBe('SELECT id FROM t WHERE (x > 51.001) AND (y > 98)');
    for (const other of ['188.887', '88.8871', '88x887'])
      expect(Template.of(`SELECT id FROM t WHERE x > ${other}`, fractions)).toBeUndefined();
  });

  it('refuses a value that would be more than one', () => {
    const digits = [{ kind: 2, value: '98', literal: '98' }] as const;
    const template = Template.of('SELECT id FROM t WHERE id = 98', digits);
    const filled = template?.fill([{ kind: 2, value: '1 OR 1', start: 0, end: 0 }]);
    expect([template !== undefined, filled]).toEqual([true, undefined]);
  });
});

describe('shapes of statements', () => {
  const organization: RequestOrganization = { id: 'A', name: 'a', database: 'o', share: 'A' };
  const statement = (value: number): string => `SELECT id FROM t WHERE id > ${value}`;
  const admitted = (text: string) => ({
    statement: text,
    alike: text,
    wallTimes: false,
    tables: [],
  });

  /** The texts that are judged when statements are sent one after another. */
  async function judged(
    asked: readonly [RequestOrganization, number][],
    failure?: Error,
  ): Promise<readonly string[]> {
    const shapes = new StatementShapes();
    const seen: string[] = [];
    for (const [who, value] of asked)
      await shapes
        .admit(statement(value), who, (text) => {
          seen.push(text);
          const isProbe = !asked.some(([, own]) => statement(own) === text);
          return failure && isProbe ? Promise.reject(failure) : Promise.resolve(admitted(text));
        })
        .catch(() => undefined);
    return seen;
  }
  const own = (...values: number[]): [RequestOrganization, number][] =>
    values.map((value) => [organization, value]);

  it('are judged by a probe from the second one on', async () => {
    const probe = statement(99);
    expect(await judged(own(11, 12, 13))).toEqual([statement(11), probe, probe]);
  });

  it('are those of fractions, too', async () => {
    const probe = statement(88.887);
    expect(await judged(own(51.001, 51.002, 52.123))).toEqual([statement(51.001), probe, probe]);
    const short = statement(0.7);
    expect(await judged(own(0.1, 0.2, 0.3))).toEqual([statement(0.1), short, short]);
  });

  it('are given up where their probe is refused', async () => {
    const seen = await judged(own(11, 12, 13), refused('name', 'no'));
    expect(seen).toEqual([statement(11), statement(99), statement(12), statement(13)]);
  });

  it('are asked once of what tells of the moment, and not given up', async () => {
    const late = new MillraceError('QUERY_TIMEOUT', 'late');
    expect(await judged(own(11, 12, 13), late)).toEqual([statement(11), statement(99), statement(99)]); // prettier-ignore
    const zone = refused('time_zone', 'too many');
    expect(await judged(own(11, 12), zone)).toEqual([statement(11), statement(99)]);
  });

  it('have the same columns unless there is a query within', async () => {
    const shapes = new StatementShapes();
    const alike = async (sql: string): Promise<string> =>
      (await shapes.admit(sql, organization, (text) => Promise.resolve(admitted(text)))).alike;
    await alike(statement(11));
    expect(await alike(statement(12))).toBe(statement(99));
    const within = (value: number): string => `SELECT * FROM (${statement(value)}) AS s`;
    await alike(within(11));
    expect(await alike(within(12))).toBe(within(12));
  });

  it('are those of who may see the same streams', async () => {
    const few = { ...organization, streams: new Set(['t']) };
    const seen = await judged([...own(11), [few, 12]]);
    expect(seen).toEqual([statement(11), statement(12)]);
  });
});

describe('verdicts', () => {
  it('count what they hold besides their text', () => {
    const kept = new Verdicts<string>({ verdicts: 10, characters: 100 }, ({ length }) => length);
    kept.set('a', 'x'.repeat(60));
    kept.set('b', 'x'.repeat(60));
    expect([kept.get('a'), kept.get('b')]).toEqual([undefined, 'x'.repeat(60)]);
    kept.set('c', 'x'.repeat(38));
    expect(kept.get('b')).toBeDefined();
  });
});
