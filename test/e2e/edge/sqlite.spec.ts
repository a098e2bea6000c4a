import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runEdge, startEdge, type Edge } from '../../server/start-edge.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/sqlite');

const schema = (columns: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    columns: Object.entries(columns).map(([name, type]) => ({
      name,
      data_type: type,
      nullable: true,
    })),
  });
const TEXTS = schema({ id: 'Int32', a: 'Utf8', d: 'Utf8' });
const MILLISECONDS = { Timestamp: ['Millisecond', null] };
const DAYS = schema({
  ...{ id: 'Int64', d: 'Date32', m: MILLISECONDS, p: { Decimal128: [10, 2] }, t: 'Int16' },
});
const ODD = 'odd "name\' ü';

let folder: string;
let edge: Edge;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'edge-sqlite-'));
  cpSync(FIXTURES, folder, { recursive: true });
  const at = (name: string, options = ''): string[] => ['-t', `${name}=kinds.db${options}`];
  const names = [
    'fits',
    'mixed',
    'bent',
    'keyed',
    'exact',
    'empty',
    'seen',
    'days',
    'downwards',
    'anything',
  ];
  edge = await startEdge(
    [
      ...names.flatMap((name) => at(name)),
      ...at('odd', `,table=${ODD}`),
      ...at('copied', ',table=fits,materialize=true'),
      ...at('texts', `,table=mixed,schema=${TEXTS}`),
      ...at('typed', `,table=days,schema=${DAYS}`),
      ...at('truths', `,table=bent,schema=${schema({ id: 'Int64', n: 'Boolean' })}`),
      ...at('bytes', `,table=bent,schema=${schema({ id: 'Int64', t: 'Binary' })}`),
      ...['-t', 'wal=wal.db,table=t', '-t', 'wide=wide.db,table=t', '-t', 'broad=broad.db'],
    ],
    { directory: folder },
  );
}, 120_000);
afterAll(async () => {
  await edge.stop();
  rmSync(folder, { recursive: true });
});

const rows = async (sql: string): Promise<unknown> => {
  const answer = await edge.sql(sql);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
};
const typesOf = async (table: string): Promise<unknown> => {
  const { fields } = (await edge.get(`/api/schema/${table}`)).json<{
    fields: { name: string; data_type: unknown }[];
  }>();
  return Object.fromEntries(fields.map(({ name, data_type: type }) => [name, type]));
};

describe('tables of SQLite', () => {
  it.each(['fits', 'copied'])('have the types and values that fit: %s', async (table) => {
    expect(await typesOf(table)).toEqual({
      ...{ id: 'Int64', big: 'Int64', price: 'Float64', words: 'Utf8', free: 'Utf8' },
      ...{ untyped: 'Utf8', raw: 'Binary', flag: 'Utf8' },
    });
    const sql = `SELECT id, big::text AS big, price::text AS price, words, free, untyped, raw, flag FROM ${table} ORDER BY id`;
    expect(await rows(sql)).toEqual([
      {
        ...{ id: 1, big: '9223372036854775807', price: '1e308', words: 'nul\0ünï' },
        ...{ free: '0.30000000000000004', untyped: 'x', raw: 'AP8=', flag: '1' },
      },
      {
        ...{ id: 2, big: '-9223372036854775808', price: '-inf', words: '' },
        ...{ free: '9007199254740993', untyped: '1.5', raw: '', flag: '0' },
      },
      {
        ...{ id: 3, big: '0', price: null, words: null },
        ...{ free: null, untyped: null, raw: null, flag: null },
      },
    ]);
  });

  it('have a column of several kinds as text', async () => {
    expect(await typesOf('mixed')).toEqual({ id: 'Int64', a: 'Utf8', r: 'Utf8', d: 'Utf8' });
    expect(await rows('SELECT a, r, d FROM mixed ORDER BY id')).toEqual([
      { a: 'abc', r: '1.5', d: 'abc' },
      { a: '12', r: 'n/a', d: 'text' },
      { a: '3.5', r: '2.0', d: '7' },
      { a: null, r: null, d: null },
      { a: '12', r: '2.5', d: '' },
      { a: '9007199254740993', r: 'Inf', d: 'x' },
    ]);
    const [first] = (await rows('SELECT * FROM texts ORDER BY id')) as unknown[];
    expect(first).toEqual({ id: 1, a: 'abc', d: 'abc' });
  });

  it('have no bytes for texts', async () => {
    expect(await rows('SELECT t FROM bent WHERE id = 1')).toEqual([{ t: 'a' }]);
    for (const id of [2, 3])
      expect((await edge.sql(`SELECT t FROM bent WHERE id = ${id}`)).json()).toEqual({
        code: 503,
        message:
          'table "bent" cannot be read: column "t" has bytes that are no text: declare it in `schema` as Binary',
      });
    expect(await rows('SELECT hex(t) AS t FROM bytes ORDER BY id')).toEqual([
      { t: '61' },
      { t: '80FE' },
      { t: '62FF' },
    ]);
  });

  it('refuse values that their declared types do not hold', async () => {
    expect(await rows('SELECT d, m, p FROM typed WHERE id = 1')).toEqual([
      { d: '2020-02-29', m: '2020-02-29T03:04:05.123', p: 1.25 },
    ]);
    expect(await rows('SELECT n FROM truths WHERE id = 1')).toEqual([{ n: true }]);
    for (const [table, column, id] of [
      ...['d', 'm', 'p', 't'].map((each) => ['typed', each, 2]),
      ...['d', 'm', 'p'].map((each) => ['typed', each, 3]),
      ...[2, 3].map((each) => ['truths', 'n', each]),
    ])
      expect((await edge.sql(`SELECT ${column} FROM ${table} WHERE id = ${id}`)).json()).toEqual({
        code: 503,
        message: expect.stringContaining(
          `table "${table}" cannot be read: column "${column}" has a value that its type, `,
        ) as unknown,
      });
  });

  it('may be views, computed, strict, empty, and have any name', async () => {
    expect(await rows('SELECT * FROM odd')).toEqual([
      { select: 1, 'a "b\'': 'x', twice: 2, more: 2 },
    ]);
    expect(await rows('SELECT * FROM keyed')).toEqual([{ k: 'a', n: 1 }]);
    expect(await rows('SELECT * FROM exact')).toEqual([{ n: 1, t: 'x', a: '2.5' }]);
    expect(await rows('SELECT * FROM empty')).toEqual([]);
    expect(await typesOf('empty')).toEqual({ n: 'Int64', d: 'Binary', t: 'Utf8' });
    expect(await rows('SELECT words, next FROM seen ORDER BY next LIMIT 1')).toEqual([
      { words: 'NUL\0üNï', next: '2' },
    ]);
    expect(await rows('SELECT count() AS n, sum(n) AS s FROM wal')).toEqual([{ n: 2, s: 3 }]);
    expect(await rows('SELECT * FROM wide')).toEqual([{ n: 1, s: 'ünï😀' }]);
    // SQLite answers at most 2,000 columns, and the words about misfits are some, too.
    expect(await rows('SELECT c0, c1, c1998 FROM broad')).toEqual([{ c0: 1, c1: null, c1998: 2 }]);
  });

  it('name a value that came later and does not fit', async () => {
    copyFileSync(join(FIXTURES, 'later.db'), join(folder, 'kinds.db'));
    try {
      for (const [table, column, value] of [
        ['fits', 'big', "text 'abc', and its type is Int64"],
        ['fits', 'price', `text 'it''s "n/a"', and its type is Float64`],
        ['fits', 'raw', "text 'text', and its type is Binary"],
        ['downwards', 'k', "text 'abc', and its type is Int64"],
        ['anything', 'a', 'integer 7, and its type is Binary'],
      ])
        expect((await edge.sql(`SELECT ${column} FROM ${table}`)).json()).toEqual({
          code: 503,
          message: `table "${table}" cannot be read: column "${column}" has the ${value}: declare it in \`schema\` as Utf8`,
        });
      expect(await rows('SELECT count() AS n, max(id) AS id FROM fits')).toEqual([{ n: 3, id: 3 }]);
    } finally {
      copyFileSync(join(FIXTURES, 'kinds.db'), join(folder, 'kinds.db'));
    }
  });

  it('stop the start where there is none, with a reason', async () => {
    writeFileSync(join(folder, 'zero.db'), '');
    writeFileSync(join(folder, 'text.db'), 'a,b\n1,2\n'.repeat(100));
    for (const [table, reason] of [
      ['x=zero.db', 'there is no table "x" in'],
      ['x=text.db', 'file is not a database'],
      [`x=kinds.db,table=days,materialize=true,schema=${DAYS}`, 'has a value that its type, '], // prettier-ignore
    ] as const) {
      const { code, stderr } = await runEdge(['--addr-http', '127.0.0.1:0', '-t', table], {
        directory: folder,
      });
      expect(`${code} ${stderr}`).toContain('1 millrace-edge: table "x" cannot be loaded');
      expect(stderr).toContain(reason);
    }
  });
});
