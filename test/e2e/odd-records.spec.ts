import { readdirSync } from 'node:fs';
import { startServer, type Server } from '../server/start-server.js';

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/**
 * Records that are JSON but fit badly into tables: each is stored, or refused alone with a reason.
 */
describe('odd records', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    const kept = readdirSync(server.dataDirectory);
    expect(kept.filter((name) => /dead/i.test(name))).toEqual([]);
    await server.stop();
  });

  const post = (path: string, body: string) =>
    server.client.call(`/api/default/${path}?wait=true`, { body });

  it.each([
    ['lists', `{"n":0,"a":${lists(99)}}`, `{"n":0,"a":${lists(100)}}`],
    ['many lists', `{"n":0,"a":${lists(99)}}`, `{"n":0,"a":${lists(250)}}`],
    ['lists as deep as the engine’s parser goes', '{"n":0}', `{"n":0,"a":${lists(950)}}`],
    ['objects', objects(100), objects(101)],
    ['more objects than any parser takes', objects(100), objects(20_000)],
    ['both', `{"a":${`[{"a":`.repeat(49)}1${'}]'.repeat(49)}}`, `{"a":[${objects(99)}]}`],
  ])('take %s within one another up to a hundred levels', async (name, fitting, tooDeep) => {
    const stream = `deep_${name.length}`;
    const body = `[${fitting},${tooDeep},{"n":2}]`;
    const status = await server.client.upload(stream, body);
    expect(status).toMatchObject({ successful: 2, failed: 1 });
    expect(status.error).toMatch(/^record 2: .*nested deeper than 100 levels/);
    expect(await server.client.count(stream)).toBe(2);
    expect(await server.client.sql(`SELECT * EXCEPT _timestamp FROM ${stream}`)).toHaveLength(2);
    const [kept] = await server.client.sql<{ record: string }>(
      `SELECT record FROM _rejected WHERE stream = '${stream}'`,
    );
    expect(kept?.record).toBe(tooDeep);
  });

  it('count no brackets within texts', async () => {
    const text = `${'["{'.repeat(300)}\\`;
    const many = Array.from({ length: 200 }, () => ({ a: [1] }));
    await server.client.upload('brackets', [{ text, many, o: { text } }]);
    expect(await server.client.sql('SELECT text, many, o FROM brackets')).toEqual([
      { text, many, o: { text } },
    ]);
  });

  it('are held against the columns that their upload has made, whichever part is read first', async () => {
    await server.client.upload('widening', [{ x: 1 }]);
    // Parts have 16 MiB. The first makes the column one of floats; nothing of the second fits before, and it is read in no time.
    const fractions = Math.floor(((16 * 1024 - 32) * 1024) / '{"x":1.5}\n'.length);
    const body = `${'{"x":1.5}\n'.repeat(fractions)}${'{"x":1e19}\n'.repeat(200_000)}`;
    expect(await server.client.upload('widening', body)).toEqual({
      name: 'widening',
      successful: fractions + 200_000,
      failed: 0,
    });
  });

  it('do no harm to uploads that come with them', async () => {
    await server.client.upload('together', [{ a: 0, x: [] }]);
    const uploads = Array.from({ length: 30 }, (_, index) =>
      server.client.upload(
        'together',
        index === 10 ? `{"a":-1,"deep":${lists(250)}}` : `{"a":${index}}`,
      ),
    );
    const answers = await Promise.all(uploads);
    const acknowledged = answers.reduce((sum, { successful }) => sum + successful, 1);
    expect(acknowledged).toBe(30);
    expect(await server.client.count('together')).toBe(acknowledged);
  });

  it('are told what is wrong without where the server keeps its files', async () => {
    for (const depth of [150, 990, 3000, 50_000])
      for (const body of [
        lists(depth),
        objects(depth),
        `[${objects(depth)}]`,
        `{"a":${lists(depth)}`,
      ])
        expect((await post('paths/_json', body)).bytes.toString()).not.toMatch(
          /spool|millrace-|warehouse\//,
        );
  });

  it('without a field make a stream, as they go into one', async () => {
    expect(await server.client.upload('none', '{}')).toMatchObject({ successful: 1 });
    expect(await server.client.upload('none', '[{},{}]')).toMatchObject({ successful: 2 });
    expect(await server.client.upload('none', [{ a: 1 }])).toMatchObject({ successful: 1 });
    expect(await server.client.count('none')).toBe(4);
    expect(await server.client.upload('some', '[{},{"":1},{}]')).toMatchObject({ successful: 2 });
    expect(await server.client.count('some')).toBe(2);
    const large = '{}\n'.repeat(50_000);
    expect(await server.client.upload('large', large)).toMatchObject({ successful: 50_000 });
    expect(await server.client.count('large')).toBe(50_000);
  });

  it('without a field make a stream from CSV and from bulk requests too', async () => {
    const csv = await post('none_csv/_csv', 'a,b\n,\n,\n');
    expect(csv.json()).toMatchObject({ status: [{ successful: 2, failed: 0 }] });
    expect(await server.client.count('none_csv')).toBe(2);
    const bulk = await post('_bulk', '{"index":{"_index":"none_bulk"}}\n{}\n');
    expect(bulk.json()).toMatchObject({ errors: false });
    expect(await server.client.count('none_bulk')).toBe(1);
  });

  const schema = async (stream: string): Promise<unknown> =>
    (await server.client.call(`/api/default/${stream}/schema`)).json<{ schema: unknown[] }>().schema.slice(1); // prettier-ignore
  const asked = async (path: string, body?: string): Promise<unknown> => {
    const answer = await server.client.call(`/api/default/${path}`, body === undefined ? {} : { body }); // prettier-ignore
    expect([answer.status, answer.bytes.toString().slice(0, 300)]).toEqual([200, expect.any(String)]); // prettier-ignore
    return answer.json();
  };

  it('whose field is null are listed with it, and read as null wherever it is asked for', async () => {
    await server.client.upload('nulls', '{"n":1,"x":null,"l":[],"a.b":null}\n{"n":2,"x":null}');
    expect(await schema('nulls')).toEqual([
      { name: 'n', type: 'Int64' },
      { name: 'x', type: 'Null' },
      { name: 'l', type: 'Null' },
      { name: 'a.b', type: 'Null' },
    ]);
    const row = { n: 1, x: null, l: null, 'a.b': null };
    for (const format of ['application/vnd.apache.arrow.stream', 'application/parquet', 'text/csv'])
      expect((await server.client.call('/api/default/sql', { body: 'SELECT * FROM nulls', headers: { accept: format } })).status).toBe(200); // prettier-ignore
    expect(await server.client.sql('SELECT * EXCEPT _timestamp FROM nulls WHERE n = 1')).toEqual([row]); // prettier-ignore
    expect(
      await server.client.sql(
        "SELECT count(x) AS c, max(t.x) AS m, countIf(x = 'a') AS e FROM nulls AS t GROUP BY x",
      ),
    ).toEqual([{ c: 0, m: null, e: 0 }]);
    expect(await server.client.sql('SELECT a.x AS y FROM nulls AS a JOIN nulls AS b ON a.n = b.n WHERE a.n = 2 ORDER BY b.x')).toEqual([{ y: null }]); // prettier-ignore
    expect(await asked('tables/nulls?columns=n,x,a.b&sort=x,n&limit=1&filter[x]isnull=true')).toEqual([{ n: 1, x: null, 'a.b': null }]); // prettier-ignore
    expect(await asked('tables/nulls?filter[x]=a')).toEqual([]);
    expect(await asked('graphql', 'query { nulls(filter: {n: {eq: 2}}, sort: [{field: "x"}]) { n x l a_b } }')).toEqual([{ n: 2, x: null, l: null, a_b: null }]); // prettier-ignore
    const search = { query: { sql: 'SELECT n, x FROM nulls WHERE x IS NULL ORDER BY n' } };
    expect(await asked('_search', JSON.stringify(search))).toMatchObject({ hits: [{ n: 1 }, { n: 2 }], total: 2 }); // prettier-ignore
    expect(await asked('schema/nulls')).toMatchObject({
      fields: expect.arrayContaining([
        expect.objectContaining({ name: 'x', data_type: 'Null', nullable: true }),
      ]) as unknown,
    });
  });

  it.each([
    ['1', 'Int64', '"a"'],
    ['[1,"a"]', 'List', '2'],
    ['{"k":1}', 'Struct', 'true'],
    ['"a"', 'Utf8', '2'],
  ])('with %s give a field that was null its type, and others are held to it', async (value, type, other) => {
    const stream = `first_${type}`;
    await server.client.upload(stream, '{"n":1,"x":null,"x.y":null}');
    const lines = `{"n":2,"x":${value}}\n{"n":3,"x":null}`;
    expect(await server.client.upload(stream, lines)).toMatchObject({ successful: 2, failed: 0 });
    expect(await server.client.upload(stream, `{"x":${other}}`)).toMatchObject({ failed: 1 });
    expect(await schema(stream)).toContainEqual(expect.objectContaining({ name: 'x', type }));
    const rows = await server.client.sql<{ x: unknown }>(`SELECT x FROM ${stream} ORDER BY n`);
    const nothing = { List: [] }[type] ?? null;
    expect(rows.map(({ x }) => x)).toEqual([nothing, JSON.parse(value), nothing]);
  }); // prettier-ignore

  it('that give it several types at the same time make it one of them', async () => {
    await server.client.upload('race', '{"x":null}');
    const values = Array.from({ length: 40 }, (_, n) => [`${n}`, `"t${n}"`, `[${n}]`, `{"k":${n}}`][n % 4]); // prettier-ignore
    // Uploads beyond 64 KiB are not taken in one group.
    const pad = ' '.repeat(66_000);
    const answers = await Promise.all(
      values.map((value, n) => server.client.upload('race', `{"x":${value}}${n % 3 === 0 ? pad : ''}`)), // prettier-ignore
    );
    const stored = answers.reduce((sum, { successful }) => sum + successful, 0);
    const failed = answers.reduce((sum, each) => sum + each.failed, 0);
    // Numbers and texts that go together at first are texts.
    expect([10, 20]).toContain(stored);
    expect(stored + failed).toBe(values.length);
    const [row] = await server.client.sql<{ n: number; all: number }>("SELECT countIf(notEmpty(toJSONString(x)) AND toJSONString(x) NOT IN ('null', '[]', '{}')) AS n, count() AS all FROM race"); // prettier-ignore
    expect(row).toEqual({ n: stored, all: stored + 1 });
    expect(await server.client.sql("SELECT count() AS n FROM _rejected WHERE stream = 'race'")).toEqual([{ n: failed }]); // prettier-ignore
  });

  it('leave nothing of such fields to a stream that takes the name', async () => {
    await server.client.upload('again', '{"x":null,"v":1}\n{"v":true}');
    await server.client.call('/api/default/again', { method: 'DELETE' });
    await server.client.upload('again', '{"v":"text"}');
    expect(await schema('again')).toEqual([{ name: 'v', type: 'Utf8' }]);
    expect(await server.client.upload('again', '{"v":1}')).toMatchObject({ failed: 1 });
    expect(await server.client.upload('again', '{"x":1}')).toMatchObject({ failed: 0 });
  });

  it('of several kinds, and arrays that nothing else keeps, are texts of what was written', async () => {
    const lines = [
      '{"n":1,"v":1,"a":[1,{}],"b":["done", {}]}',
      '{"n":2,"v":1.50,"a":[{"":1},"x"]}',
      '{"n":3,"v":true,"a":[2]}',
      '{"n":4,"v":"x","a":null}',
    ];
    expect(await server.client.upload('kinds', lines.join('\n'))).toMatchObject({ successful: 4, failed: 0 }); // prettier-ignore
    expect(await server.client.sql('SELECT v, a, b FROM kinds ORDER BY n')).toEqual([
      { v: '1', a: '[1,{}]', b: '["done", {}]' },
      { v: '1.50', a: '[{"":1},"x"]', b: null },
      { v: 'true', a: '[2]', b: null },
      { v: 'x', a: null, b: null },
    ]);
    expect(await schema('kinds')).toEqual([
      { name: 'n', type: 'Int64' },
      { name: 'v', type: 'Utf8', verbatim: 'scalars' },
      { name: 'a', type: 'Utf8', verbatim: 'arrays' },
      { name: 'b', type: 'Utf8', verbatim: 'arrays' },
    ]);
    const refused = await server.client.upload('kinds', '{"v":[1]}\n{"a":"x"}\n{"v":2,"a":[]}');
    expect(refused).toMatchObject({ successful: 1, failed: 2 });
    expect(refused.error).toMatch(/field "v": .* text of single values as they were written/);
    const bulk = ['a', 'b'].map((name) => `{"index":{"_index":"kinds_${name}"}}\n{"x":[1,{}]}\n`);
    expect((await post('_bulk', bulk.join(''))).json()).toMatchObject({ errors: false });
    expect(await server.client.sql('SELECT x FROM kinds_b')).toEqual([{ x: '[1,{}]' }]);
  });
});
