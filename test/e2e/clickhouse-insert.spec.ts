import { gzipSync } from 'node:zlib';
import type { Answer, Call } from '../server/client.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';

const PASSWORD = 'Secret-77';
const person = (name: string) => ({ email: `${name}@insert.example.com`, password: PASSWORD });

describe("rows by ClickHouse's INSERT", () => {
  let server: BorrowedServer;
  /** The callers do not belong to this organization. */
  const other = (): string => `${server.organization}other`;

  const json = (path: string, body: unknown): Promise<Answer> =>
    server.client.call(path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const insert = (body: string | Buffer, query?: string, call: Call = {}): Promise<Answer> =>
    server.client.call(
      `/api/${server.organization}/clickhouse/${query === undefined ? '' : `?query=${encodeURIComponent(query)}`}`,
      { method: 'POST', body, credentials: person('mem'), ...call },
    );
  const written = ({ status, headers }: Answer): unknown => [
    status,
    (JSON.parse(String(headers['x-clickhouse-summary'] ?? '{}')) as { written_rows?: string })
      .written_rows,
  ];
  const rows = async (sql: string): Promise<unknown> =>
    (await server.client.call('sql', { body: sql })).json();

  beforeAll(async () => {
    server = await borrowServer();
    await json('/api/default/users', { ...person('founder'), role: 'viewer' });
    await json(`/api/${other()}/users/${person('founder').email}`, { role: 'admin' });
    await json('users', { ...person('mem'), role: 'member' });
    await json('users', { ...person('vera'), role: 'viewer' });
  }, 120_000);
  afterAll(() => server.giveBack());

  it('are there when it is answered', async () => {
    expect(written(await insert('INSERT INTO logs FORMAT JSONEachRow\n{"a":1}\n{"a":2,"t":"x"}'))).toEqual([200, '2']); // prettier-ignore
    expect(written(await insert('[{"a":3}]', `INSERT INTO ${server.organization}.logs FORMAT JSONEachRow`))).toEqual([200, '1']); // prettier-ignore
    const zipped = { headers: { 'content-encoding': 'gzip' } };
    expect(
      written(await insert(gzipSync('{"a":4}'), 'INSERT INTO logs FORMAT NDJSON', zipped)),
    ).toEqual([200, '1']);
    expect(written(await insert('{"a":6}', 'INSERT INTO logs FORMAT NDJSON {"a":5}\n'))).toEqual([200, '2']); // prettier-ignore
    expect(await rows('SELECT a, t FROM logs ORDER BY a')).toEqual(
      [1, 2, 3, 4, 5, 6].map((a) => ({ a, t: a === 2 ? 'x' : null })),
    );
  });

  it('may be CSV, with names before it or in it', async () => {
    expect(written(await insert('1,"a,b"\n2,\n', 'INSERT INTO lines (n, "t") FORMAT CSV'))).toEqual([200, '2']); // prettier-ignore
    expect(written(await insert('INSERT INTO lines FORMAT CSVWithNames\nt,n\nc,3\n'))).toEqual([200, '1']); // prettier-ignore
    expect(await rows('SELECT n, t FROM lines ORDER BY n')).toEqual([
      { n: 1, t: 'a,b' },
      { n: 2, t: null },
      { n: 3, t: 'c' },
    ]);
  });

  it.each([
    ['TabSeparated', 'tabs', '1\tx"\\ty\n2\t\\N\n'],
    ['TSVWithNamesAndTypes', 'tabs_named', 'n\tt\nInt64\tString\n1\tx"\\ty\n2\t\\N\n'],
    ['JSONCompactEachRow', 'lists', '[1,"x\\"\\ty"]\n[2,null]\n'],
    ['JSONCompactEachRowWithNames', 'lists_named', '["n","t"]\n[1,"x\\"\\ty"]\n[2,null]\n'],
  ])('may be %s', async (format, stream, body) => {
    const columns = format.includes('WithNames') ? '' : '(n, t) ';
    expect(written(await insert(`INSERT INTO ${stream} ${columns}FORMAT ${format}\n${body}`))).toEqual([200, '2']); // prettier-ignore
    expect(await rows(`SELECT n, t FROM ${stream} ORDER BY n`)).toEqual([
      { n: 1, t: 'x"\ty' },
      { n: 2, t: null },
    ]);
  });

  it('are not stored where one has another length than the names', async () => {
    const answer = await insert(
      '[1,2]\n[3]\n',
      'INSERT INTO short (a, b) FORMAT JSONCompactEachRow',
    );
    expect(answer.status).toBe(400);
    expect(answer.bytes.toString()).toMatch(/row 2 has 1 values, and 2 columns are named/);
    expect((await insert('SELECT * FROM short')).status).toBe(404);
  });

  it.each(['Parquet', 'Arrow', 'ArrowStream'])('may be what was read as %s', async (format) => {
    const statement = `SELECT number AS n, toString(number) AS t FROM numbers(100000) FORMAT ${format}`;
    const { bytes } = await insert(statement);
    const name = `as_${format.toLowerCase()}`;
    const head = Buffer.from(`INSERT INTO ${name} FORMAT ${format}\n`);
    expect(written(await insert(Buffer.concat([head, bytes])))).toEqual([200, '100000']);
    expect(written(await insert(bytes, `INSERT INTO ${name} FORMAT ${format}`))).toEqual([200, '100000']); // prettier-ignore
    expect(await rows(`SELECT count() AS c, sum(n) AS s FROM \`${name}\``)).toEqual([
      { c: 200_000, s: 9_999_900_000 },
    ]);
  });

  it('are kept where they do not fit, and the client is told', async () => {
    await insert('{"a":1}', 'INSERT INTO strict FORMAT JSONEachRow');
    const answer = await insert('{"a":2}\n{"a":"two"}', 'INSERT INTO strict FORMAT JSONEachRow');
    expect(written(answer)).toEqual([400, '1']);
    expect(answer.headers['x-clickhouse-exception-code']).toBe('117');
    expect(answer.bytes.toString()).toMatch(
      /^Code: 117\. DB::Exception: 1 of 2 rows rejected, and kept in _rejected; .*field "a".*\(INCORRECT_DATA\)\n$/,
    );
    expect(await rows('SELECT a FROM strict ORDER BY a')).toEqual([{ a: 1 }, { a: 2 }]);
    const rejected = await server.client.call('strict/_rejected');
    expect(rejected.json()).toMatchObject([{ record: '{"a":"two"}' }]);
  });

  it('are read as uploads are, whatever a client says of its queries', async () => {
    const put = async (parameters: string): Promise<number> => {
      const path = `clickhouse/?${parameters}&query=INSERT+INTO+timed+FORMAT+NDJSON`;
      const body = '{"_timestamp":"2026-01-02T03:04:05Z"}';
      return (await server.client.call(path, { body, credentials: person('mem') })).status;
    };
    expect(await put('date_time_input_format=best_effort&join_use_nulls=0')).toBe(200);
    expect(await put('date_time_input_format=basic')).toBe(400);
    expect(await put('session_timezone=Europe/Berlin')).toBe(400);
  });

  it('are stored once under an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one' };
    for (let times = 0; times < 2; times += 1)
      expect(
        written(await insert('{"a":1}', 'INSERT INTO once FORMAT JSONEachRow', { headers })),
      ).toEqual([200, '1']);
    expect(await rows('SELECT count() AS c FROM once')).toEqual([{ c: 1 }]);
  });

  it.each([
    ['INSERT INTO logs FORMAT Native\nx', 400, '36'],
    ['INSERT INTO logs FORMAT CSV\n1', 400, '36'],
    ["INSERT INTO logs VALUES (1, 'x')", 403, '497'],
    ['INSERT INTO logs SELECT 1', 403, '497'],
    ["INSERT INTO FUNCTION file('x') FORMAT CSV", 403, '497'],
    ['INSERT INTO {other}.logs FORMAT JSONEachRow\n{"a":1}', 404, '60'],
    ['INSERT INTO _rejected FORMAT JSONEachRow\n{"a":1}', 400, '1001'],
    ['INSERT INTO logs FORMAT JSONEachRow\nnothing', 400, '1001'],
  ])('are refused in %j', async (body, status, code) => {
    const { status: answered, headers, bytes } = await insert(body.replace('{other}', other()));
    const told = headers['x-clickhouse-exception-code'];
    expect([answered, told, bytes.toString()]).toEqual([
      status,
      code,
      expect.stringMatching(/^Code: /),
    ]);
  });

  it('are taken of whom uploads are taken of', async () => {
    const statement = 'INSERT INTO logs FORMAT JSONEachRow\n{"a":99}';
    const made = async (name: string, body: object): Promise<Call> => {
      const answer = await json('tokens', { name, ...body });
      const { token } = answer.json<{ data: { token: string } }>().data;
      return { credentials: 'none', headers: { 'x-clickhouse-key': token } };
    };
    const [narrow, reads] = [
      await made('narrow', { role: 'member', streams: ['mine'] }),
      await made('reads', { role: 'viewer' }),
    ];
    const asked: readonly [string, Call, number][] = [
      ['viewer', { credentials: person('vera') }, 403],
      ['token that reads', reads, 403],
      ['token for another stream', narrow, 403],
      ['nobody', { credentials: 'none' }, 401],
    ];
    for (const [who, call, status] of asked)
      expect([who, (await insert(statement, undefined, call)).status]).toEqual([who, status]);
    const outside = { method: 'POST', body: statement, credentials: person('mem') };
    expect((await server.client.call(`/api/${other()}/clickhouse/`, outside)).status).toBe(403);
    expect(await rows('SELECT count() AS c FROM logs WHERE a = 99')).toEqual([{ c: 0 }]);
    const own = 'INSERT INTO mine FORMAT JSONEachRow\n{"a":99}';
    expect(written(await insert(own, undefined, narrow))).toEqual([200, '1']);
  });

  it('are told where to go when a client packs them with its statement, as clickhouse-connect does', async () => {
    const packed = { headers: { 'content-encoding': 'lz4' } };
    const { status, bytes } = await insert(Buffer.from('04224d18', 'hex'), undefined, packed);
    expect([status, bytes.toString()]).toEqual([415, expect.stringContaining('raw_insert')]);
  });

  it('come by POST, and in an encoded body without their statement', async () => {
    const statement = 'INSERT INTO logs FORMAT JSONEachRow {"a":98}';
    const path = `clickhouse/?query=${encodeURIComponent(statement)}`;
    const got = await server.client.call(path, { credentials: person('mem') });
    const zipped = { headers: { 'content-encoding': 'gzip' } };
    const packed = await insert(gzipSync(statement), undefined, zipped);
    for (const { status, bytes } of [got, packed])
      expect([status, bytes.toString()]).toEqual([403, expect.stringMatching(/send INSERT by POST/)]); // prettier-ignore
    expect(await rows('SELECT count() AS c FROM logs WHERE a = 98')).toEqual([{ c: 0 }]);
  });
});
