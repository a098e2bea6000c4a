import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { borrowServer, type BorrowedServer } from '../../server/borrow-server.js';
import { edgeInFolder } from '../../server/edge-in-folder.js';

/** Records that mean the same here and in an upload; each has all of its fields. */
const ALIKE: Readonly<Record<string, readonly unknown[]>> = {
  'fields within objects that are called as types are': [
    { Date: 'x', o: { Date: '2020-01-01', DateTime: 'y', Nothing: 1, String: 2 } },
    { Date: 'y', o: { Date: 'no day', DateTime: 'z', Nothing: 2, String: 3 } },
  ],
  'names of several words': [
    { birdstrikes: { 'Flight Date': 'date', 'Cost Total $': 'integer', 'a(b), `c`': 1 } },
  ],
  'such fields within lists': [{ l: [{ Date: 'a', 'Event DateTime': 1 }] }],
  // So many places with numbers do not go into one statement.
  'themes, as charts have them': [
    Object.fromEntries(
      Array.from({ length: 12 }, (_, theme) => [
        `theme${theme}`,
        Object.fromEntries(
          Array.from({ length: 8 }, (_part, part) => [
            `config${part}`,
            Object.fromEntries(Array.from({ length: 6 }, (_each, at) => [`width${at}`, at + 0.5])),
          ]),
        ),
      ]),
    ),
  ],
};

const REFUSED: readonly (readonly [what: string, text: string | Buffer, message: string])[] = [
  ['a list of numbers', '[1, 2]', 'want a JSON object where "1, 2]" stands'],
  ['lists', '[["a", 1]]', 'want a JSON object where'],
  ['a null among objects', '[{"a": 1}, null]', 'want a JSON object where "null]" stands'],
  ['a comment', '// x\n{"a": 1}', 'want a JSON object where'],
  ['a list without records', '[]', 'want a JSON object where "]" stands'],
  ['records without fields', '{}\n{}\n', 'no record in it has a field'],
  ['half of a pair', '[{"a": "\\ud83d"}]', 'half of a surrogate pair'],
  ['Latin-1', Buffer.from('[{"a": "caf\u00e9"}]', 'latin1'), 'it is not written as UTF-8'],
  ['a character that is cut off', Buffer.from('[{"a": 1}]\n\u00e9').subarray(0, -1), 'UTF-8'],
  ['UTF-16', Buffer.from('\ufeff[{"a": 1}]', 'utf16le'), 'it is UTF-16'],
  ['gzip under another name', gzipSync('[{"a": 1}]'), 'it is compressed by gzip'],
];

describe('JSON of strangers', () => {
  const own = edgeInFolder('edge-json-strangers-');
  let server: BorrowedServer;
  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  const register = async (text: string | Buffer, uri = 't.json'): Promise<string> => {
    writeFileSync(join(own.folder, uri.replace(/,.*/, '')), text);
    const made = await own.edge.post('/api/table', [{ tableName: 't', uri }]);
    return made.status === 200 ? '' : made.text;
  };
  const rows = async (): Promise<unknown> => (await own.edge.sql('SELECT * FROM t')).json();

  it.each(Object.entries(ALIKE))('%s', async (what, records) => {
    const text = JSON.stringify(records);
    for (const uri of ['t.json', 't.json,materialize=false']) {
      expect(await register(text, uri)).toBe('');
      expect(await rows()).toEqual(records);
    }
    const stream = `s_${Object.keys(ALIKE).indexOf(what)}`;
    const answer = await server.client.call(`${stream}/_json?wait=true`, { body: text });
    expect(answer.json()).toMatchObject({ status: [{ failed: 0 }] });
    const stored = await server.client.sql(`SELECT * EXCEPT _timestamp FROM ${stream}`);
    expect(stored).toEqual(expect.arrayContaining([...records]));
  });

  it.each(REFUSED)('%s: the table is refused, and says why', async (_, text, message) => {
    expect(await register(text)).toContain(JSON.stringify(message).slice(1, -1));
  });

  it('what is not UTF-8 is refused behind gzip, and where columns are declared', async () => {
    const [, text = ''] = REFUSED.find(([what]) => what === 'Latin-1') ?? [];
    expect(await register(gzipSync(text), 't.json.gz')).toContain('it is not written as UTF-8');
    const columns = [{ name: 'a', data_type: 'Utf8', nullable: true }];
    const schema = `schema=${JSON.stringify({ columns })}`;
    expect(await register(text, `t.json,${schema}`)).toContain('it is not written as UTF-8');
  });

  it('a column of objects, lists and single values is text as it is written', async () => {
    const of = ['"x"', '{"b": 2}', '[1, 2]', '1.50', 'true', 'null'];
    const read = ['x', '{"b": 2}', '[1, 2]', '1.50', 'true', null];
    const points = ['[1, 2]', '[[1, 2], [3, 4]]', '[]', '[3]', '[4]', '[5]'];
    const text = of.map((a, n) => `{"it's \\"a\\"": ${a}, "n": ${n}, "points": ${points[n]}}\n`);
    for (const uri of ['t.json', 't.json,materialize=false']) {
      expect(await register(text.join(''), uri)).toBe('');
      const found = (await own.edge.sql('SELECT * FROM t ORDER BY n')).json();
      expect(found).toEqual(read.map((a, n) => ({ 'it\'s "a"': a, n, points: points[n] })));
    }
    // The second kind comes behind the rows that are looked at first.
    const many = Array.from({ length: 40_000 }, (_, n) => `{"a": {"b": ${n}}}\n`).join('');
    expect(await register(`${many}{"a": 5}\n`)).toBe('');
    const sql = "SELECT count() AS n, sum(JSONExtractInt(a, 'b')) AS b, min(a) AS a FROM t";
    expect((await own.edge.sql(sql)).json()).toEqual([{ n: 40_001, b: 799_980_000, a: '5' }]);
  });

  it('a column of objects with a field "null" is text as it is written', async () => {
    const text = '[{"a": {"null": 1.50, "b": "x"}, "c": {"d": 1}, "l": [{"e": {"null": null}}]}]';
    for (const uri of ['t.json', 't.json,materialize=false']) {
      expect(await register(text, uri)).toBe('');
      const [a, l] = ['{"null": 1.50, "b": "x"}', '[{"e": {"null": null}}]'];
      expect(await rows()).toEqual([{ a, c: { d: 1 }, l }]);
    }
  });

  it('takes what JSON of other programs has', async () => {
    expect(await register('{"a": NaN, "b": "x\ty"}{"a": 1.5} {"a": 2}, {"a": 3, "l": [null]}')).toBe('');
    const [nothing, none] = [{ b: null, l: [] }, null];
    expect(await rows()).toEqual([
      { ...nothing, a: none, b: 'x\ty' },
      ...[1.5, 2].map((a) => ({ ...nothing, a })),
      { ...nothing, a: 3, l: [null] },
    ]);
    expect((await own.edge.sql('SELECT isNaN(a) AS n FROM t WHERE b IS NOT NULL')).json()).toEqual([{ n: true }]);
    expect(await register('{"a": Infinity}')).toContain('JSON has no word for an infinity');
  }); // prettier-ignore

  it('an object with a record for each name is refused soon, and its records are rows by pointer', async () => {
    const all = Array.from({ length: 30_000 }, (_, n) => [
      `id${n}`,
      { name: `n${n}`, 'it"s': n, tags: ['x'], at: { [`k${n % 7}`]: 1 } },
    ]);
    const text = JSON.stringify(Object.fromEntries(all));
    const began = performance.now();
    expect(await register(text)).toContain('values at more than 10000 places');
    expect(performance.now() - began).toBeLessThan(10_000);
    const sql = "SELECT count() AS n, sum(value.`it\"s`) AS s, max(value.at.k6) AS k, min(key) AS key FROM t"; // prettier-ignore
    const told = [{ n: 30_000, s: 449_985_000, k: 1, key: 'id0' }];
    expect(await register(text, 't.json,pointer=')).toBe('');
    expect((await own.edge.sql(sql)).json()).toEqual(told);
    expect(await register(`{"v": 1, "all": {"x": ${text}}}`, 't.json,pointer=/all/x')).toBe('');
    expect((await own.edge.sql(sql)).json()).toEqual(told);
    expect(await register('{"a": 1, "b": [2], "c": {}}', 't.json,pointer=')).toBe('');
    expect(await rows()).toEqual([
      { key: 'a', value: '1' },
      { key: 'b', value: '[2]' },
      { key: 'c', value: '{}' },
    ]);
  });

  it('a field whose names are data is text, in one record or in all of them together', async () => {
    const record = (n: number): string => `{"n": ${n}, "deps": {"p${2 * n}": "^1", "p${2 * n + 1}": "^2"}}\n`; // prettier-ignore
    const text = Array.from({ length: 20_000 }, (_, n) => record(n)).join('');
    const began = performance.now();
    expect(await register(text)).toBe('');
    expect(performance.now() - began).toBeLessThan(10_000);
    const sql = "SELECT count() AS n, max(deps) AS deps, JSONExtractString(min(deps), 'p0') AS p FROM t";
    const deps = '{"p9998": "^1", "p9999": "^2"}';
    expect((await own.edge.sql(sql)).json()).toEqual([{ n: 20_000, deps, p: '^1' }]);
    expect(await register(gzipSync(text), 't.json.gz')).toBe('');
    expect((await own.edge.sql(sql)).json()).toEqual([{ n: 20_000, deps, p: '^1' }]);
  }); // prettier-ignore

  it('an object of more than a thousand places is text as it is written', async () => {
    const keyed = Array.from({ length: 600 }, (_, n) => `"u${n}": {"n": ${n}, "x": 1.50}`).join(
      ', ',
    );
    expect(await register(`{"version": 1, "users": {${keyed}}}`)).toBe('');
    expect(await rows()).toEqual([{ version: 1, users: `{${keyed}}` }]);
    const sql = "SELECT JSONExtractInt(users, 'u599', 'n') AS n FROM t";
    expect((await own.edge.sql(sql)).json()).toEqual([{ n: 599 }]);
  });
});
