import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { borrowServer, type BorrowedServer } from '../../server/borrow-server.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';

type Rows = readonly Readonly<Record<string, unknown>>[];
type Case = readonly [texts: readonly string[], type: string, values?: readonly unknown[]];

/** Two values of a column as they are written, the column's type, and its values where they are no texts. */
const COLUMNS: readonly Case[] = [
  [['0', '-0'], 'Int64', [0, 0]],
  [['1', ' -25 '], 'Int64', [1, -25]],
  [['"1"', '"2"'], 'Int64', [1, 2]],
  [['9007199254740993', '1'], 'Int64', [9007199254740993n, 1]],
  [['-9223372036854775808', '9223372036854775807'], 'Int64', [-(2n ** 63n), 2n ** 63n - 1n]],
  [['9223372036854775808', '18446744073709551615'], 'UInt64', [2n ** 63n, 2n ** 64n - 1n]],
  [['.99', '1.25'], 'Float64', [0.99, 1.25]],
  [['.5', '1'], 'Float64', [0.5, 1]],
  [['-.5', ' .25 '], 'Float64', [-0.5, 0.25]],
  [['5.', '1'], 'Float64', [5, 1]],
  [['-5.', ' 0. '], 'Float64', [-5, 0]],
  [['"5."', '".5"'], 'Float64', [5, 0.5]],
  [['5.e1', '.5E-1'], 'Float64', [50, 0.05]],
  [['1.0', '2.0'], 'Float64', [1, 2]],
  [['1.50', '0.10'], 'Float64', [1.5, 0.1]],
  [['1e3', '2'], 'Float64', [1000, 2]],
  [['1E+3', '1e05'], 'Float64', [1000, 100_000]],
  [['1e18', '1.5'], 'Float64', [10n ** 18n, 1.5]],
  [['9007199254740992', '1.5'], 'Float64', [2 ** 53, 1.5]],
  [['0.1234567890123456789', '1'], 'Float64', [0.12345678901234568, 1]],
  // Floats do not have all integers of this size, and 64 bits end somewhere.
  [['9007199254740993', '1.5'], 'Utf8'],
  [['9007199254740993', '1.0'], 'Utf8'],
  [['18014398509481984', '.5'], 'Utf8'],
  [['9223372036854775808', '-1'], 'Utf8'],
  [['9223372036854775808', '1.5'], 'Utf8'],
  [['18446744073709551616', '1'], 'Utf8'],
  [['-9223372036854775809', '1'], 'Utf8'],
  [['99999999999999999999999999', '1.5'], 'Utf8'],
  [['1e400', '1'], 'Utf8'],
  [['1e-400', '1'], 'Utf8'],
  // Codes: of a bank, of a country, of a telephone.
  [['007', '1'], 'Utf8'],
  [['-007', '1'], 'Utf8'],
  [['00.5', '1'], 'Utf8'],
  [['00', '0'], 'Utf8'],
  [['+5', '1'], 'Utf8'],
  [['+5.5', '1'], 'Utf8'],
  [['+.5', '1.5'], 'Utf8'],
  [['+1e5', '1.5'], 'Utf8'],
  // Others write such numbers, and nobody can tell what else the texts may be.
  [['1_000', '1'], 'Utf8'],
  [['"1,000"', '1'], 'Utf8'],
  [['0x10', '1'], 'Utf8'],
  [['1d', '1'], 'Utf8'],
  [['$5', '5%'], 'Utf8'],
  [['.', '1'], 'Utf8'],
  [['-', '1'], 'Utf8'],
  [['-.', '1'], 'Utf8'],
  [['5.5.', '1'], 'Utf8'],
  [['1e', '1'], 'Utf8'],
  [['5.e', '1'], 'Utf8'],
  [['.e5', '1'], 'Utf8'],
  [['- 5', '1'], 'Utf8'],
  [['.5', 'x'], 'Utf8'],
  [['true', '1'], 'Utf8'],
];
const bare = (text: string): string => text.replace(/^"|"$/g, '');
const names = COLUMNS.map((_, column) => `c${column}`);
const file = [
  ['n', ...names],
  ['0', ...COLUMNS.map(([[first = '']]) => first)],
  ['1', ...COLUMNS.map(([[, second = '']]) => second)],
].map((row) => `${row.join(',')}\n`).join(''); // prettier-ignore
const TYPES = Object.fromEntries(COLUMNS.map(([texts, type], column) => [`${names[column]}: ${texts.join(' and ')}`, type])); // prettier-ignore
const ROWS = [0, 1].map((row) =>
  Object.fromEntries<unknown>(
    COLUMNS.map(([texts, , values], column) => {
      const value = (values ?? texts.map(bare))[row];
      return [`c${column}`, typeof value === 'bigint' ? Number(value) : value];
    }),
  ),
);
/** JavaScript rounds these, so they are asked for as text. */
const EXACT = COLUMNS.flatMap(([, , values], column) =>
  values?.some((value) => typeof value === 'bigint') ? [names[column] ?? ''] : [],
);
const SQL = `SELECT ${names.join(', ')}, ${EXACT.map((name) => `toString(${name}) AS ${name}_text`).join(', ')} FROM t ORDER BY n`;

describe('numbers of CSV', () => {
  const own = edgeInFolder('edge-numbers-');
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const told = (fields: readonly (readonly [name: string, type: string])[]): unknown => {
    const types = new Map(fields);
    return Object.fromEntries(COLUMNS.map(([texts], column) => [`${names[column]}: ${texts.join(' and ')}`, types.get(names[column] ?? '')])); // prettier-ignore
  };
  const expectRows = (rows: Rows): void => {
    expect(rows).toMatchObject(ROWS);
    for (const [row, stored] of rows.entries())
      for (const name of EXACT) {
        const value = COLUMNS[names.indexOf(name)]?.[2]?.[row];
        // An exact float is written with an exponent.
        if (String(value) !== '1000000000000000000')
          expect([name, stored[`${name}_text`]]).toEqual([name, String(value)]);
      }
  };

  it('are the same in an upload', async () => {
    const answer = await server.client.call('t/_csv?wait=true', {
      body: file,
      headers: { 'content-type': 'text/csv' },
    });
    expect(answer.json()).toMatchObject({ status: [{ successful: 2, failed: 0 }] });
    const { schema } = (await server.client.call('t/schema', { method: 'GET' })).json<{
      schema: readonly { name: string; type: string }[];
    }>();
    expect(told(schema.map(({ name, type }) => [name, type]))).toEqual(TYPES);
    expectRows((await server.client.sql(SQL)) as Rows);
  });

  it.each(['', ',materialize=false'])('are the same at the edge program%s', async (more) => {
    writeFileSync(join(own.folder, 't.csv'), file);
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri: `t.csv${more}` }]);
    expect([made.status, made.text]).toEqual([200, expect.anything()]);
    const { fields } = (await own.edge.get('/api/schema/t')).json<{
      fields: readonly { name: string; data_type: string }[];
    }>();
    expect(told(fields.map(({ name, data_type: type }) => [name, type]))).toEqual(TYPES);
    expectRows((await own.edge.sql(SQL)).json());
  });

  it('of declared decimals may lack the digit before or behind their point', async () => {
    await server.client.call('prices/settings', {
      body: JSON.stringify({ columns: { price: 'Decimal128(15, 2)' } }),
    });
    const body = 'price,n\n.99,1\n5.,2\n 1.25 ,3\n-.5e1,4\n.999,5\n';
    const answer = await server.client.call('prices/_csv?wait=true', {
      body,
      headers: { 'content-type': 'text/csv' },
    });
    expect(answer.json()).toMatchObject({ status: [{ successful: 4, failed: 1 }] });
    const sql = 'SELECT toString(price) AS price FROM prices ORDER BY n';
    expect(await server.client.sql(sql)).toEqual(
      ['0.99', '5', '1.25', '-5'].map((price) => ({ price })),
    );
  });
});
