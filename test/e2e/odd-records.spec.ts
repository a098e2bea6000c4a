import { readdirSync } from 'node:fs';
import { startServer, type Server } from '../server/start-server.js';

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/** Records that are JSON and no table's friends: each is stored, or refused alone with a reason. */
describe('odd records', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    const kept = readdirSync(server.dataDirectory, { recursive: true, encoding: 'utf8' });
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
});
