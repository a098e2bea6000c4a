import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { RequestOrganization } from '@app/platform';
import { Catalog, Guard, type TableDescription } from '@app/query';
import { statements } from '../fixtures/generated-statements.js';
import { HOSTILE_STATEMENTS } from '../fixtures/hostile-statements.js';
import { LEGITIMATE_STATEMENTS } from '../fixtures/legitimate-statements.js';
import { MORE_HOSTILE_STATEMENTS } from '../fixtures/more-hostile-statements.js';
import { STANDARD_STATEMENTS } from '../fixtures/standard-statements.js';
import { rounds, roundsMs } from '../rounds.js';
import { CountedReader } from './counted-reader.js';
import { kinOf, withOtherValues } from './kin-statements.js';
import { openGuardedEngine, OTHER, OWN, type GuardedEngine } from './guarded-engine.js';

const RUNS = rounds(8, 2000);
/** CI looks at one of so many of the known statements, because each is asked a dozen times. */
const EVERY = rounds(4, 1);

/** Columns of each type for which statements are rewritten. */
const COLUMNS = [
  "_timestamp DateTime64(6, 'UTC')",
  'id Nullable(Int64)',
  'name Nullable(String)',
  'v Nullable(Float64)',
  'u UInt64',
  'day Nullable(Date32)',
  'wall Nullable(DateTime64(6))',
  'price Nullable(Decimal(10, 2))',
  'wide Decimal(38, 4)',
  'is Nullable(Bool)',
  'tags Array(Nullable(String))',
  'doc JSON',
].map((column) => {
  const [name = '', ...type] = column.split(' ');
  return { name, type: type.join(' ') };
});

class RichCatalog extends Catalog {
  tables(): readonly TableDescription[] {
    return ['t', 'u', 'web-1.access'].map((name) => ({ name, columns: COLUMNS }));
  }
  table(_organization: RequestOrganization, name: string): TableDescription | undefined {
    return this.tables().find((table) => table.name === name);
  }
}

/** The guard judges a statement as it is where values come with it, needed or not. */
const AS_IT_IS = { unused: '' };

const texts = fc.oneof(
  fc.constantFrom(
    'a',
    "o''brien",
    'x\\y',
    'TIME ',
    'a & b',
    '//',
    '->',
    'SELECT',
    '%a_',
    'é ß',
    '‘',
    '1',
    '',
    ' ',
    '*/',
    '--',
  ),
  fc.constantFrom(
    'AggregateFunction(sum, x)',
    'o_',
    'system.tables',
    'DateTime64',
    'value 0 of a shape',
  ),
  fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\\', '\\\\').replaceAll("'", "''")),
);
const times = fc.oneof(
  fc
    .date({ min: new Date('1800-01-01'), max: new Date('2400-01-01'), noInvalidDate: true })
    .chain((date) => {
      const iso = date.toISOString();
      return fc.constantFrom(
        iso,
        iso.slice(0, 10),
        iso.slice(0, 19),
        iso.slice(0, 19).replace('T', ' '),
        iso.slice(0, 23).replace('T', ' '),
        iso.replace('Z', '+02:00'),
      );
    }),
  fc.constantFrom(
    '2026-02-30',
    '2026-13-01',
    '2026-01-01 25:00:00',
    '1987-06-05 04:00:00',
    '20260101',
    '2026-01-01T00:00:00z',
  ),
);
const fractions = fc
  .tuple(fc.nat(100_000), fc.nat(3), fc.nat(1000))
  .map(([whole, zeros, behind]) => `${whole}.${'0'.repeat(zeros)}${behind}`);
const literal = fc.oneof(
  fractions,
  fc.bigInt({ min: -10n, max: 10n ** 20n }).map(String),
  fc.nat(1000).map(String),
  fc.constantFrom(
    '0',
    '007',
    '1.5',
    '1.0',
    '0.05',
    '51.001',
    '88.887',
    '.5',
    '7.',
    '1e3',
    '0x1F',
    '9',
    '99',
    'NULL',
    'true',
    '18446744073709551615',
  ),
  texts.map((text) => `'${text}'`),
  times.map((text) => `'${text}'`),
);
const column = fc.constantFrom(
  ...COLUMNS.map(({ name }) => name),
  ...[
    'lower(name)',
    't.id',
    'doc.a.b',
    'toDate(_timestamp)',
    'id + 1',
    'count()',
    "doc['a']",
    '(id)',
    "CAST(id, 'String')",
  ],
);
const compared = fc
  .tuple(
    column,
    fc.constantFrom('=', '!=', '<>', '<', '<=', '>', '>=', ' LIKE ', ' NOT LIKE ', ' ILIKE '),
    literal,
  )
  .map(([name, sign, value]) => `${name}${sign}${value}`);
const between = fc
  .tuple(column, literal, literal)
  .map(([name, low, high]) => `${name} BETWEEN ${low} AND ${high}`);
const among = fc
  .tuple(column, fc.array(literal, { minLength: 1, maxLength: 4 }))
  .map(([name, list]) => `${name} IN (${list.join(', ')})`);
const odd = literal.chain((value) =>
  fc.constantFrom(
    `arrayExists(x -> x = ${value}, tags)`,
    `id = ${value} + 1`,
    `(id = ${value} AS same)`,
    `CASE WHEN id = ${value} AND is THEN 1 ELSE 0 END = 1`,
    `name LIKE ${value} ESCAPE '!'`,
    `name = ${value} || 'a'`,
    `id IN (SELECT id FROM u WHERE name = ${value})`,
    `id IN (SELECT u.id = ${value} FROM u)`,
    `EXISTS (SELECT 1 FROM u WHERE u.id > ${value})`,
    `_timestamp > now() - INTERVAL ${value} DAY`,
    `_timestamp > toDateTime(${value})`,
    `${value} = id`,
    `has(tags, ${value})`,
    `NOT (name = ${value})`,
    `name = ANY (${value})`,
    `toTypeName(id) = ${value}`,
    `is = (id = ${value})`,
  ),
);
const condition = fc
  .array(fc.oneof({ weight: 4, arbitrary: compared }, between, among, odd), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((all) =>
    fc.constantFrom(all.join(' AND '), `(${all.join(') OR (')})`, `NOT (${all.join(' AND ')})`),
  );
const shaped = fc
  .tuple(condition, condition, literal)
  .chain(([where, having, value]) =>
    fc.constantFrom(
      `SELECT * FROM t WHERE ${where}`,
      `SELECT id, count() AS n FROM t WHERE ${where} GROUP BY id ORDER BY n LIMIT 5`,
      `SELECT id = ${value}, ${where} FROM t WHERE ${where} ORDER BY id = ${value}`,
      `SELECT name, sum(id) AS s FROM t WHERE ${where} GROUP BY name HAVING s > ${value} AND ${having}`,
      `WITH w AS (SELECT * FROM t WHERE ${where}) SELECT count() FROM w WHERE ${having}`,
      `WITH ${value} AS x SELECT x, countIf(${having}) FROM t WHERE ${where}`,
      `SELECT (SELECT count() FROM u WHERE ${where}) FROM t WHERE id = ${value};`,
      `SELECT * FROM t JOIN u ON t.id = u.id AND u.name = ${value} WHERE t.id > ${value}`,
      `SELECT * FROM (SELECT * FROM t WHERE ${where}) AS s WHERE ${having} UNION ALL SELECT * FROM u WHERE ${where}`,
      `SELECT id FROM t WHERE ${where} SETTINGS max_threads = ${value}`,
      `EXPLAIN SELECT id FROM t WHERE ${where}`,
      `SELECT id FROM t WHERE ${where} LIMIT ${value} OFFSET 1`,
      `SELECT id /* ${value} */ FROM t WHERE ${where} -- ${value}`,
      `SELECT "a = ${value}" FROM t WHERE ${where}`,
    ),
  );

describe('a statement that is judged by its shape', () => {
  let engine: GuardedEngine;
  let reader: CountedReader;
  let guard: Guard;
  let byShape = 0;
  beforeAll(async () => {
    engine = await openGuardedEngine();
    reader = new CountedReader(engine.warehouse);
    guard = new Guard(reader, new RichCatalog());
  });
  afterAll(() => engine.close());

  type Judged = Awaited<ReturnType<Guard['admit']>>;

  /** The statement that is admitted, with all that belongs to it; or the words of its refusal. */
  async function told(judged: Promise<Judged>): Promise<object> {
    try {
      const { alike, ...admitted } = await judged;
      const { statement } = admitted;
      if (alike !== statement)
        expect([statement, await columnsOf(alike)]).toEqual([
          statement,
          await columnsOf(statement),
        ]);
      return admitted;
    } catch (error) {
      const { name, message, detail } = error as Error & { detail?: string };
      return { name, message, detail };
    }
  }

  /** The columns of a statement, or undefined where its values do not fit what they are compared with. */
  const columnsOf = (sql: string): Promise<string | undefined> =>
    engine.warehouse
      .text({ sql: `DESCRIBE TABLE (\n${sql}\n)`, database: OWN.database, format: 'text' })
      .catch(() => undefined);

  /** Another guard judges it, so that it knows nothing from the tested path. */
  async function isSame(sql: string, other: Guard): Promise<void> {
    const asItIs = await told(other.admit(sql, OWN, AS_IT_IS));
    // A statement of its shape was admitted before, without a shape.
    await told(guard.admit(kinOf(sql), OWN));
    reader.questions = [];
    expect([sql, await told(guard.admit(sql, OWN))]).toEqual([sql, asItIs]);
    const given = Buffer.from(sql).toString('hex');
    const isAsked = reader.questions.some((question) => question.includes(given));
    if (isAsked || !('statement' in asItIs)) return;
    // A rewritten text is not run as it is, but it is known.
    reader.questions = [];
    await told(guard.admit(sql, OWN, AS_IT_IS));
    if (reader.questions.length > 0) byShape += 1;
  }

  it(
    'is what it would be as it is, whatever its values are',
    async () => {
      const other = new Guard(engine.warehouse, new RichCatalog());
      await fc.assert(
        fc.asyncProperty(fc.array(shaped, { minLength: 10, maxLength: 10 }), async (batch) => {
          for (const sql of batch) await isSame(sql, other);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
      // By chance, there may be none that is judged by its shape.
      for (const value of ['17', '51.001', "'a'", "'2026-01-01'"])
        await isSame(`SELECT id FROM t WHERE v > ${value}`, other);
      expect(byShape).toBeGreaterThan(0);
    },
    roundsMs(RUNS, 8000),
  );

  it(
    'is refused or admitted as it would be, of generated attacks',
    async () => {
      const other = new Guard(engine.warehouse, new RichCatalog());
      const foreign = {
        tables: ['system.one', 'system.tables', `${OTHER}.t`, '_audit', 'secret'],
        files: [join(engine.directory, 'canary.txt')],
      };
      const batch = fc.array(statements(foreign), { minLength: 10, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(batch, async (all) => {
          for (const sql of all)
            for (const each of [sql, withOtherValues(sql)]) await isSame(each, other);
        }),
        { numRuns: RUNS / 4, endOnFailure: true },
      );
    },
    roundsMs(RUNS, 5000),
  );

  it('is refused or admitted as it would be, of all statements that are known', async () => {
    const other = new Guard(engine.warehouse, new RichCatalog());
    const hostile = JSON.parse(
      readFileSync(join(import.meta.dirname, '../fixtures/hostile-sql.json'), 'utf8'),
    ) as readonly { readonly sql: string }[];
    const known = [
      ...HOSTILE_STATEMENTS,
      ...MORE_HOSTILE_STATEMENTS,
      ...hostile.map(({ sql }) => sql),
      ...LEGITIMATE_STATEMENTS.map(([sql]) => sql),
      ...STANDARD_STATEMENTS.map(([sql]) => sql),
    ]
      .filter((_, at) => at % EVERY === 0)
      .map((sql) => sql.replaceAll('{other}', OTHER));
    const before = byShape;
    for (const sql of known)
      for (const each of [sql, withOtherValues(sql)]) await isSame(each, other);
    expect(byShape - before).toBeGreaterThan(20 / EVERY);
  }, 400_000);
});
