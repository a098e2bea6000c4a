import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { COLUMNS_MAX } from '../../libs/streams/aggregates/declared-columns.js';
import type { Answer } from '../server/client.js';
import { ROOT, borrowServer, type BorrowedServer } from '../server/borrow-server.js';

describe('CSV', () => {
  let server: BorrowedServer;
  let made = 0;
  const fresh = (): string => `csv${(made += 1)}`;
  const post = (
    stream: string,
    body: string | Buffer,
    query = '',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    server.client.call(`${stream}/_csv?wait=true${query}`, {
      body,
      headers: { 'content-type': 'text/csv', ...headers },
    });
  /** Uploads to a new stream. @returns what the answer says, and the rows. */
  const upload = async (
    body: string | Buffer,
    query = '',
    order = '',
  ): Promise<[unknown, unknown]> => {
    const stream = fresh();
    const answer = await post(stream, body, query);
    const { status = [answer.json()] } = answer.json<{ status?: object[] }>();
    const counts = { ...status[0], name: undefined };
    const rows = await server.client
      .sql(`SELECT * EXCEPT _timestamp FROM ${stream}${order}`)
      .catch(() => undefined);
    return [counts, rows];
  };
  const good = (successful: number) => ({ successful, failed: 0, name: undefined });

  beforeAll(async () => {
    server = await borrowServer();
  });
  afterAll(() => server.giveBack());

  it('infers types from what all values of a column are', async () => {
    expect(
      await upload('id,price,ok,zip,text,empty\n1,2.5,true,00123,a,\n-2,3,FALSE,99999,7,\n'),
    ).toEqual([
      good(2),
      [
        { id: 1, price: 2.5, ok: true, zip: '00123', text: 'a', empty: null },
        { id: -2, price: 3, ok: false, zip: '99999', text: '7', empty: null },
      ],
    ]);
  });

  it('reads numbers as statistics programs write them', async () => {
    expect(await upload('id, x,y,z\n  1, .5,-.25e1, a\n 20 ,-.5," 3 ",.5\n')).toEqual([
      good(2),
      [
        { id: 1, x: 0.5, y: -2.5, z: ' a' },
        { id: 20, x: -0.5, y: 3, z: '.5' },
      ],
    ]);
  });

  it('takes as many columns as a stream can have, and a second time in no more time', async () => {
    const columns = Array.from({ length: COLUMNS_MAX }, (_, index) => `column_${index}`);
    const record = (first: string) => [first, ...columns.slice(1).map((_, n) => n)].join(',');
    const stream = fresh();
    for (const first of ['x', 'y']) {
      const answer = await post(stream, `${columns.join(',')}\n${record(first)}\n`);
      expect(answer.json()).toMatchObject({ status: [{ successful: 1, failed: 0 }] });
    }
    const last = `column_${COLUMNS_MAX - 1}`;
    expect(
      await server.client.sql(`SELECT column_0 AS a, ${last} AS z FROM ${stream} ORDER BY a`),
    ).toEqual([
      { a: 'x', z: COLUMNS_MAX - 2 },
      { a: 'y', z: COLUMNS_MAX - 2 },
    ]);
    const judged = await post(stream, `${columns.join(',')}\n${record('z').replace(/1,/, 'n,')}\n`);
    expect(judged.json()).toMatchObject({ status: [{ successful: 0, failed: 1 }] });
  }, 120_000);

  it.each<[string, string]>([
    ['comma', 'a,b\n1,x\n'],
    ['semicolon', 'a;b\n1;x\n'],
    ['tab', 'a\tb\n1\tx\n'],
    ['pipe', 'a|b\n1|x\n'],
    ['CRLF', 'a,b\r\n1,x\r\n'],
    ['a byte order mark', '\ufeffa,b\n1,x\n'],
    ['no line break at the end', 'a,b\n1,x'],
    ['blank lines', '\n\na,b\n\r\n\n1,x\n\n'],
    ['everything quoted', '"a","b"\n"1","x"\n'],
    ['a delimiter within a quoted header', '"a",b\n1,x\n'],
  ])('reads a file with %s', async (_, text) => {
    expect(await upload(text)).toEqual([good(1), [{ a: 1, b: 'x' }]]);
  });

  // The engine looks for a header of its own, and these are the names it is given for the fields.
  it.each([
    ['f0,f1', { a: 'f0', b: 'f1' }],
    ['f1,f0', { a: 'f1', b: 'f0' }],
    ['\x010,\x011', { a: '\x010', b: '\x011' }],
    ['\x011,\x010', { a: '\x011', b: '\x010' }],
    ['\x011', { a: '\x011', b: null }],
  ])('takes the record %j for no header', async (record, row) => {
    expect(await upload(`a,b\n${record}\nx,y\n`, '', " ORDER BY a = 'x'")).toEqual([
      good(2),
      [row, { a: 'x', b: 'y' }],
    ]);
  });

  it('keeps quoted delimiters, quotes and line breaks', async () => {
    const text = 'a,b\n"x,y","say ""hi"""\n"two\nlines","and\r\nmore"\n"",end\n';
    expect(await upload(text, '', " ORDER BY b = 'end', b DESC")).toEqual([
      good(3),
      [
        { a: 'x,y', b: 'say "hi"' },
        { a: 'two\nlines', b: 'and\r\nmore' },
        { a: '', b: 'end' },
      ],
    ]);
  });

  it('takes short records, refuses those that are longer than the header, and keeps them', async () => {
    const stream = fresh();
    const answer = await post(stream, 'a,b,c\n1\n2,x,y,z\n3,x,y,,\n4,x\n');
    expect(answer.json()).toMatchObject({
      status: [
        {
          successful: 3,
          failed: 1,
          error: 'record 2: it has 4 fields, and the header names 3',
        },
      ],
    });
    expect(await server.client.sql(`SELECT a, b, c FROM ${stream} ORDER BY a`)).toEqual([
      { a: 1, b: null, c: null },
      { a: 3, b: 'x', c: 'y' },
      { a: 4, b: 'x', c: null },
    ]);
    expect(
      await server.client.sql(`SELECT line FROM _rejected WHERE stream = '${stream}'`),
    ).toEqual([{ line: 2 }]);
  });

  it('names columns without a name, and those that come twice', async () => {
    expect(await upload('a,,a, b ,\n1,2,3,4,5\n')).toEqual([
      good(1),
      [{ a: 1, column_2: 2, a_2: 3, b: 4, column_5: 5 }],
    ]);
  });

  it('stores nothing of a header without records, and says so in numbers', async () => {
    expect(await upload('a,b\n')).toEqual([good(0), undefined]);
    // Line breaks that curl -d has taken out leave one line, too.
    expect(await upload('a,b1,23,4')).toEqual([
      { ...good(0), error: expect.stringContaining('curl -d takes line breaks out') as string },
      undefined,
    ]);
  });

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['blank lines', '\n \r\n'],
    ['a quote that never ends', 'a,b\n"x,1\n2,3\n'],
    ['a text after a quoted field', 'a,b\n"x"y,1\n'],
    ['Latin-1', Buffer.from('a,b\n\xff,1\n', 'latin1')],
    ['too many columns', `${Array.from({ length: 2001 }, (_, n) => `c${n}`).join(',')}\n1\n`],
  ])('400, and nothing is stored: %s', async (_, text) => {
    const stream = fresh();
    const answer = await post(stream, text);
    expect([answer.status, answer.json<{ message: string }>().message.length > 10]).toEqual([
      400,
      true,
    ]);
    expect((await server.client.call(`${stream}/schema`)).status).toBe(404);
  });

  it('takes a delimiter that is said, and no other', async () => {
    expect(await upload('a:b\n1:x,y\n', '&delimiter=:')).toEqual([good(1), [{ a: 1, b: 'x,y' }]]);
    expect(await upload('a,b\tc\n1\t2\n', '&delimiter=tab')).toEqual([
      good(1),
      [{ 'a,b': 1, c: 2 }],
    ]);
    for (const wrong of ['', 'ab', '%22', '%0A', 'é'])
      expect((await post(fresh(), 'a\n1\n', `&delimiter=${wrong}`)).status).toBe(400);
  });

  it('writes values as the stream’s columns have them, and refuses what does not fit', async () => {
    const stream = fresh();
    await server.client.upload(stream, [
      { id: 'x', n: 1, on: true, tags: ['a'], by: { name: 'Ann' } },
    ]);
    const answer = await post(
      stream,
      'id,n,on,tags,by\n7,2,false,"[""b""]","{""name"":""Ben""}"\n8,many,true,,\n9,3,,,\n',
    );
    expect(answer.json()).toMatchObject({ status: [{ successful: 2, failed: 1 }] });
    expect(
      await server.client.sql(`SELECT id, n, on, tags, by.name AS who FROM ${stream} ORDER BY n`),
    ).toEqual([
      { id: 'x', n: 1, on: true, tags: ['a'], who: 'Ann' },
      { id: '7', n: 2, on: false, tags: ['b'], who: 'Ben' },
      { id: '9', n: 3, on: null, tags: [], who: null },
    ]);
  });

  it('takes times from `_timestamp`', async () => {
    const stream = fresh();
    expect((await post(stream, '_timestamp,a\n1790000000,1\n')).status).toBe(200);
    expect((await post(stream, '_timestamp,a\n2026-01-01T00:00:00Z,2\n')).status).toBe(200);
    expect(await server.client.sql(`SELECT _timestamp, a FROM ${stream} ORDER BY a`)).toEqual([
      { _timestamp: '2026-09-21T14:13:20.000000Z', a: 1 },
      { _timestamp: '2026-01-01T00:00:00.000000Z', a: 2 },
    ]);
  });

  it('counts exactly in a large file, compressed or not, with records that span lines', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-csv-'));
    try {
      // Records are long, so that there are several parts of them without being very many.
      const rows = 100_000;
      const lines = Array.from(
        { length: rows },
        (_, n) =>
          `${n},"line ${n}\nof ""two"" lines, ${'x'.repeat(200)}",${n % 7 === 0 ? '' : n / 2}`,
      );
      const text = `id,text,half\n${lines.join('\n')}\n`;
      const file = join(folder, 'large.csv');
      writeFileSync(file, text);
      const stream = fresh();
      const answer = await server.client.call(`${stream}/_csv?wait=true`, {
        body: createReadStream(file),
      });
      expect(answer.json()).toEqual({
        code: 200,
        status: [{ name: stream, successful: rows, failed: 0 }],
      });
      const question = (name: string) =>
        `SELECT count() AS c, uniqExact(id) AS ids, sum(id) AS total, countIf(half IS NULL) AS nulls, countIf(text LIKE '%\\nof "two" lines, x%') AS texts FROM ${name}`;
      const [sums] = await server.client.sql(question(stream));
      expect(sums).toEqual({
        c: rows,
        ids: rows,
        total: (rows * (rows - 1)) / 2,
        nulls: Math.ceil(rows / 7),
        texts: rows,
      });
      const again = fresh();
      const zipped = await post(again, gzipSync(text), '', { 'content-encoding': 'gzip' });
      expect(zipped.json()).toMatchObject({ status: [{ successful: rows, failed: 0 }] });
      expect(await server.client.sql(question(again))).toEqual([sums]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('refuses a broken file at once, however much of it is still to come', async () => {
    let trickle: NodeJS.Timeout | undefined;
    const answer = await new Promise((resolve, reject) => {
      const sent = request(
        new URL(`/api/${server.organization}/${fresh()}/_csv`, server.url),
        { method: 'POST', auth: `${ROOT.email}:${ROOT.password}` },
        (response) => {
          text(response).then((message) => {
            resolve([response.statusCode, message]);
          }, reject);
        },
      );
      sent.on('error', reject);
      // Enough for a first part. The body goes on, and does not end.
      sent.write(`a,b\n"x"y,1\n${'x,1\n'.repeat((18 * 1024 * 1024) / 4)}`);
      trickle = setInterval(() => sent.write('x,1\n'), 200);
    }).finally(() => {
      clearInterval(trickle);
    });
    expect(answer).toEqual([400, expect.stringContaining('malformed CSV')]);
  });

  it('`_multi` takes NDJSON', async () => {
    const stream = fresh();
    const answer = await server.client.call(`${stream}/_multi?wait=true`, {
      body: '{"a":1}\n{"a":2}\n',
    });
    expect(answer.json()).toMatchObject({ status: [{ successful: 2, failed: 0 }] });
    expect(await server.client.count(stream)).toBe(2);
  });
});
