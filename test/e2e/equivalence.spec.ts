import fc from 'fast-check';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { rounds } from '../rounds.js';

type Row = Readonly<Record<string, unknown>>;

/** Each column's declared type has values here. Doubles stay below where they look like long integers. */
const TYPES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Utf8: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom("it's", 'a\\nb', '\\', '"', '`', '%_', 'null', '{p0:String}', '\n', '-- x'),
  ),
  Int64: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -5, max: 5 })),
  UInt64: fc.maxSafeNat(),
  Float64: fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constantFrom(0.1, -1.5e-7)),
  Boolean: fc.boolean(),
  'List<Utf8>': fc.array(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 3 }),
  'List<Int64>': fc.array(fc.integer(), { maxLength: 3 }),
  Struct: fc.record({
    a: fc.integer(),
    b: fc.record({ c: fc.string({ unit: 'grapheme', maxLength: 4 }) }),
  }),
};
const NULLABLE = /^(?:Utf8|U?Int64|Float64|Boolean)$/;
const COMPARABLE = NULLABLE;
const OPERATORS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '!=',
  lt: '<',
  lteq: '<=',
  gt: '>',
  gteq: '>=',
};

const table = fc
  .array(fc.constantFrom(...Object.keys(TYPES)), { minLength: 1, maxLength: 6 })
  .chain((types) =>
    fc.record({
      types: fc.constant(types),
      rows: fc.array(
        fc.tuple(
          ...types.map((type) => {
            const value = TYPES[type] ?? fc.constant(null);
            return NULLABLE.test(type) ? fc.option(value, { freq: 4 }) : value;
          }),
        ),
        { minLength: 1, maxLength: 30 },
      ),
    }),
  );

describe('the same question through all four frontends', () => {
  let server: BorrowedServer;
  let made = 0;

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const rowsOf = async (path: string, body?: string): Promise<Row[]> => {
    const answer = await server.client.call(path, body === undefined ? {} : { body });
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer.json<Row[]>();
  };

  it('gives the same rows, whatever the columns hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.record({
          column: fc.nat(),
          row: fc.nat(),
          operator: fc.constantFrom(...Object.keys(OPERATORS)),
          filtered: fc.boolean(),
          descending: fc.boolean(),
          limit: fc.integer({ min: 0, max: 20 }),
          offset: fc.integer({ min: 0, max: 10 }),
        }),
        async ({ types, rows }, question) => {
          made += 1;
          const name = `t${made}`;
          const columns = types.map((_, index) => `c${index}`);
          await server.client.call(`${name}/settings`, {
            body: JSON.stringify({
              columns: {
                id: 'Int64',
                ...Object.fromEntries(types.map((type, n) => [`c${n}`, type])),
              },
            }),
          });
          const uploaded = await server.client.upload(
            name,
            rows.map((values, id) => ({
              _timestamp: 1_700_000_000 + id,
              id,
              ...Object.fromEntries(values.map((value, n) => [`c${n}`, value])),
            })),
          );
          expect(uploaded).toMatchObject({ successful: rows.length });

          const at = question.column % types.length;
          const value = rows[question.row % rows.length]?.[at] as string | number | boolean | null;
          const comparable =
            COMPARABLE.test(types[at] ?? '') && value !== null && question.filtered;
          const sqlOperator = OPERATORS[question.operator] ?? '';
          const { limit, offset, descending } = question;
          const selected = ['id', ...columns, '_timestamp'];

          const where = comparable ? ` WHERE c${at} ${sqlOperator} ${sqlLiteral(value)}` : '';
          const statement = `SELECT ${selected.join(', ')} FROM ${name}${where} ORDER BY id ${descending ? 'DESC' : 'ASC'}`;
          const bySql = await rowsOf('sql', `${statement} LIMIT ${limit} OFFSET ${offset}`);

          const parameters = new URLSearchParams({
            columns: selected.join(','),
            sort: descending ? '-id' : 'id',
            limit: String(limit),
            offset: String(offset),
          });
          if (comparable) {
            const quoted =
              typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
            parameters.set(`filter[c${at}]${question.operator}`, quoted);
          }
          expect(await rowsOf(`tables/${name}?${parameters.toString()}`)).toEqual(bySql);

          const filter = comparable
            ? `filter: {c${at}: {${question.operator}: ${JSON.stringify(value)}}},`
            : '';
          const query = `{ ${name}(${filter} sort: [{field: id, order: ${descending ? 'desc' : 'asc'}}], limit: ${limit}, offset: ${offset}) { ${selected.join(' ')} } }`;
          expect(await rowsOf('graphql', query)).toEqual(bySql);

          const search = await server.client.call('_search', {
            body: JSON.stringify({ query: { sql: statement, from: offset, size: limit } }),
          });
          expect(search.json<{ hits?: Row[] }>().hits).toEqual(bySql.map(asHit));
        },
      ),
      { numRuns: rounds(12, 25) },
    );
  }, 120_000);
});

function sqlLiteral(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replace(/[\\']/g, (character) => `\\${character}`)}'`
    : String(value);
}

/** Search leaves out what is null, and tells times in microseconds. */
function asHit(row: Row): Row {
  const kept = Object.entries(row).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(kept),
    _timestamp: Date.parse(String(row._timestamp)) * 1000,
  };
}
