import type { Answer, Call } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';

const PASSWORD = 'Secret-77';
const VIEWER = { email: 'vera@example.com', password: PASSWORD };
/** This word is in names, rows and columns of the other organization. */
const SECRET = 'whisper';

describe("ClickHouse's HTTP interface", () => {
  let server: Server;

  const json = (path: string, body: unknown, method = 'POST'): Promise<Answer> =>
    server.client.call(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const ask = (statement: string, parameters = '', call: Call = {}): Promise<Answer> =>
    server.client.call(`/api/acme/clickhouse/?${parameters}`, {
      method: 'POST',
      body: statement,
      credentials: VIEWER,
      ...call,
    });
  const told = async (statement: string, parameters = '', call: Call = {}): Promise<string> => {
    const { status, bytes } = await ask(statement, parameters, call);
    return status === 200 ? bytes.toString() : `${status} ${bytes.toString()}`;
  };

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
    await json('/api/default/users', { email: 'founder@example.com', password: PASSWORD, role: 'viewer' }); // prettier-ignore
    for (const org of ['acme', 'other'])
      await json(`/api/${org}/users/founder@example.com`, { role: 'admin' });
    await json('/api/acme/users', { ...VIEWER, role: 'viewer' });
    const logs = [{ _timestamp: '2026-01-02T03:04:05.5Z', a: 1, t: 'one' }, { _timestamp: '2026-01-02T03:04:06Z', a: 2, t: "t'\tw" }]; // prettier-ignore
    await json('/api/acme/logs/_json?wait=true', logs);
    await json(`/api/other/${SECRET}/_json?wait=true`, [{ whisper_column: SECRET }]);
  }, 120_000);
  afterAll(() => server.stop());

  it('is there, and answers nothing to nothing', async () => {
    for (const path of [
      '/api/acme/clickhouse',
      '/api/acme/clickhouse/',
      '/api/acme/clickhouse/ping',
    ]) {
      const { status, bytes } = await server.client.call(path, { credentials: VIEWER });
      expect([path, status, bytes.toString()]).toEqual([path, 200, 'Ok.\n']);
    }
  });

  it.each([
    ['', 'SELECT a, t FROM logs ORDER BY a', "1\tone\n2\tt\\'\\tw\n"],
    ['', 'SELECT _timestamp FROM logs ORDER BY a LIMIT 1', '2026-01-02 03:04:05.500000\n'],
    ['', 'SELECT a FROM acme.logs ORDER BY a DESC LIMIT 1;', '2\n'],
    ['', 'SELECT a FROM logs ORDER BY a FORMAT CSVWithNames', '"a"\n1\n2\n'],
    [
      'default_format=JSONCompactEachRow',
      'SELECT a, t FROM logs ORDER BY a LIMIT 1',
      '[1, "one"]\n',
    ],
    ['default_format=JSON', 'SELECT a FROM logs WHERE a = 1 FORMAT JSONEachRow', '{"a":1}\n'],
    ['param_t=one&param_a=1', 'SELECT a FROM logs WHERE t = {t:String} AND a = {a:Int64}', '1\n'],
    ["param_t=t'%5Ctw", 'SELECT a FROM logs WHERE t = {t:String}', '2\n'],
    ['query=SELECT%20a%20FROM', 'logs WHERE a = 2', '2\n'],
    [
      'session_timezone=Europe/Berlin',
      "SELECT toHour(toDateTime('2026-01-02 02:00:00')) AS h, timezone()",
      '2\tEurope/Berlin\n',
    ],
    [
      'output_format_json_quote_64bit_integers=1',
      'SELECT a FROM logs WHERE a = 1 SETTINGS join_use_nulls = 1 FORMAT JSONEachRow',
      '{"a":"1"}\n',
    ],
    [
      'readonly=0&max_execution_time=0&session_id=s&query_id=q',
      'SELECT a FROM logs WHERE a = 1',
      '1\n',
    ],
    ['database=acme', 'SHOW TABLES', '_rejected\nlogs\n'],
    ['', "SHOW TABLES FROM acme LIKE 'l%'", 'logs\n'],
    ['', 'SHOW DATABASES', 'acme\n'],
    ['max_threads=1', 'USE acme', ''],
    ['', 'use `acme`;', ''],
    ['', "SELECT sampling_key, name FROM system.tables WHERE name = 'logs'", '\tlogs\n'],
    ['', 'SELECT name FROM system.databases', 'acme\n'],
    [
      '',
      "SELECT database, name, sorting_key FROM system.tables WHERE database = currentDatabase() AND name LIKE 'l%'",
      'acme\tlogs\t_timestamp\n',
    ],
    [
      '',
      "SELECT name, type, position, is_in_sorting_key FROM system.columns WHERE table = 'logs' AND name = 'a'",
      'a\tNullable(Int64)\t2\t0\n',
    ],
    [
      '',
      "SELECT t.name FROM system.tables AS t, system.columns AS c WHERE t.name = c.table AND c.name = 'a'",
      'logs\n',
    ],
    ['', "SELECT name AS schema FROM system.databases WHERE schema = 'acme'", 'acme\n'],
    ['', "SELECT count() FROM system.functions WHERE name = 'tostring'", '1\n'],
    ['', "SELECT readonly FROM system.settings WHERE name = 'join_use_nulls'", '0\n'],
    ['', "SELECT readonly FROM system.settings WHERE name = 'max_block_size'", '0\n'],
    ['default_format=TSVWithNames', 'SELECT 1 AS a', 'a\n1\n'],
    [
      '',
      'DESCRIBE TABLE acme.logs FORMAT JSONCompactEachRow',
      `["_timestamp", "DateTime64(6, 'UTC')", "", "", "", "", ""]\n["a", "Nullable(Int64)", "", "", "", "", ""]\n["t", "Nullable(String)", "", "", "", "", ""]\n`,
    ],
    [
      'param_n=2',
      'DESCRIBE SELECT a, count() AS n, currentUser() AS u FROM acme.logs WHERE a > {n:Int64} GROUP BY a FORMAT JSONCompactEachRow',
      `["a", "Nullable(Int64)", "", "", "", "", ""]\n["n", "UInt64", "", "", "", "", ""]\n["u", "String", "", "", "", "", ""]\n`,
    ],
    [
      'default_format=CSV',
      "DESCRIBE TABLE (SELECT t AS 'x' FROM logs)".replaceAll("'", '"'),
      '"x","Nullable(String)","","","","",""\n',
    ],
    ['', 'EXISTS TABLE logs', '1\n'],
    ['', 'SELECT currentUser(), currentDatabase()', 'vera@example.com\tacme\n'],
  ])('%s %s', async (parameters, statement, expected) => {
    // prettier-ignore
    expect(await told(statement, parameters)).toBe(expected);
  });

  it('takes a statement in the address, a compressed body, and the headers of ClickHouse', async () => {
    const query = encodeURIComponent('SELECT a FROM logs ORDER BY a');
    const headers = {
      'x-clickhouse-user': VIEWER.email,
      'x-clickhouse-key': PASSWORD,
      'x-clickhouse-format': 'JSONCompactEachRow',
      'x-clickhouse-database': 'acme',
    };
    const answer = await server.client.call(`/api/acme/clickhouse/?query=${query}`, {
      credentials: 'none',
      headers,
    });
    expect([answer.status, answer.bytes.toString()]).toEqual([200, '[1]\n[2]\n']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=UTF-8',
      'x-clickhouse-format': 'JSONCompactEachRow',
      'x-clickhouse-timezone': 'UTC',
    });
    const wrong = { ...headers, 'x-clickhouse-key': 'nope' };
    const refused = await ask('SELECT 1', '', { credentials: 'none', headers: wrong });
    expect([refused.status, refused.headers['x-clickhouse-exception-code']]).toEqual([401, '516']);
  });

  it('takes a token as the key', async () => {
    const made = await json('/api/acme/tokens', { name: 'bi', role: 'viewer', streams: ['logs'] });
    const { token } = made.json<{ data: { token: string } }>().data;
    const call: Call = { credentials: 'none', headers: { 'x-clickhouse-key': token } };
    expect(await told('SELECT count() FROM logs', '', call)).toBe('2\n');
    expect(await told('SHOW TABLES', '', call)).toBe('logs\n');
  });

  it("writes its blocks compressed as ClickHouse's own clients have them", async () => {
    const { bytes, status } = await ask('SELECT repeat(\'a\', 1000) AS x', 'compress=1&default_format=RowBinary'); // prettier-ignore
    const CHECKSUM_BYTES = 16;
    const [method, whole, raw] = [bytes[CHECKSUM_BYTES], bytes.readUInt32LE(CHECKSUM_BYTES + 1), bytes.readUInt32LE(CHECKSUM_BYTES + 5)]; // prettier-ignore
    const LZ4 = 0x82;
    expect([status, method, whole, raw]).toEqual([200, LZ4, bytes.length - CHECKSUM_BYTES, 1002]);
    // A failure is told in clear.
    expect(await told('SELECT x FROM logs', 'compress=1')).toMatch(
      /^400 Code: 47\. DB::Exception: /,
    );
  });

  it('compresses as HTTP has it only where it is asked to', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const [plain, gzip] = [
      await ask('SELECT 1', '', { headers }),
      await ask('SELECT 1', 'enable_http_compression=1', { headers }),
    ];
    expect([plain.headers['content-encoding'], plain.bytes.toString()]).toEqual([undefined, '1\n']);
    expect(gzip.headers['content-encoding']).toBe('gzip');
  });

  it('counts the rows before them for whom it is asked to wait', async () => {
    const counts = async (parameters: string): Promise<unknown> => {
      const { headers, bytes } = await ask('SELECT number FROM numbers(3)', parameters);
      const summary = headers['x-clickhouse-summary'];
      return [bytes.length > 0, summary === undefined ? undefined : JSON.parse(String(summary))];
    };
    const told = expect.objectContaining({ result_rows: '3', read_rows: '3', written_rows: '0' }) as unknown; // prettier-ignore
    expect(await counts('wait_end_of_query=1')).toEqual([true, told]);
    expect(await counts('compress=1')).toEqual([true, told]);
    expect(await counts('')).toEqual([true, undefined]);
  });

  it('tells which organizations are databases of the caller', async () => {
    const exists = (name: string): Promise<string> => told(`EXISTS DATABASE ${name}`);
    expect(await exists('acme')).toBe('1\n');
    // An account of its own is in default, too.
    expect(await exists('`default`')).toBe('1\n');
    expect([await exists('other'), await exists('none')]).toEqual(['0\n', '0\n']);
    const made = await json('/api/acme/tokens', { name: 'db', role: 'viewer' });
    const { token } = made.json<{ data: { token: string } }>().data;
    const call: Call = { credentials: 'none', headers: { 'x-clickhouse-key': token } };
    expect(await told('EXISTS DATABASE default', '', call)).toBe('0\n');
  });

  it.each(['JSON', 'JSONCompact', 'CSVWithNames', 'TabSeparatedWithNamesAndTypes', 'Values'])(
    'writes many rows as one document of %s',
    async (format) => {
      const text = await told(`SELECT number AS n FROM numbers(200000) FORMAT ${format}`);
      expect([format, text.length > 1_000_000, text.indexOf('"n"'), text.lastIndexOf('"n"')].slice(0, 2)).toEqual([format, true]); // prettier-ignore
      const isObjects = format === 'JSON';
      expect(text.match(/\bn\b/g)?.length ?? 0).toBe(isObjects ? 200_001 : format === 'Values' ? 0 : 1); // prettier-ignore
      if (format.startsWith('JSON')) expect(JSON.parse(text)).toMatchObject({ rows: 200_000 });
    },
  );

  it.each([
    ['SELECT x FROM logs', '', 400, 47, 'UNKNOWN_IDENTIFIER'],
    ['SELECT (1', '', 400, 62, 'SYNTAX_ERROR'],
    ['SELECT * FROM nope', '', 404, 60, 'UNKNOWN_TABLE'],
    ['SELECT 1', 'database=other', 404, 60, 'UNKNOWN_TABLE'],
    ['SELECT 1', 'allow_ddl=1', 400, 36, 'BAD_ARGUMENTS'],
    ['SELECT 1', 'user=root', 400, 36, 'BAD_ARGUMENTS'],
    ['SELECT 1 FORMAT Template', '', 400, 36, 'BAD_ARGUMENTS'],
    ['SELECT 1', 'max_threads=99', 403, 497, 'ACCESS_DENIED'],
    ['SELECT {x:AggregateFunction(sum, Int8)}', 'param_x=1', 403, 497, 'ACCESS_DENIED'],
    ['DROP TABLE logs', '', 403, 497, 'ACCESS_DENIED'],
    ['SET max_threads = 1', 'max_threads=1', 403, 497, 'ACCESS_DENIED'],
    ['USE other', '', 404, 60, 'UNKNOWN_TABLE'],
    ["SELECT * FROM file('/etc/passwd')", '', 403, 497, 'ACCESS_DENIED'],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", '', 403, 497, 'ACCESS_DENIED'],
    ["SELECT toUInt8('x')", '', 400, 6, 'CANNOT_PARSE_TEXT'],
  ])('tells of %s %s as ClickHouse does', async (statement, parameters, status, code, type) => {
    const answer = await ask(statement, parameters);
    const [text, { headers }] = [answer.bytes.toString(), answer];
    expect([answer.status, headers['x-clickhouse-exception-code']]).toEqual([status, String(code)]);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: .*\\(${type}\\)\\n$`));
  });

  it('tells how a statement would run, without the name of what it is kept in', async () => {
    const plan = await told('EXPLAIN SELECT a FROM logs WHERE a = 1');
    expect(plan).toMatch(/acme|ReadFrom/);
    expect(plan).not.toMatch(/org_|[0-9a-f]{16}/);
    expect(await told('EXPLAIN SELECT 1', 'compress=1')).toMatch(/^400 .*EXPLAIN answers text/);
    expect(await told('EXPLAIN SELECT 1 FORMAT Native')).toMatch(/^400 /);
  });

  it.each([
    [`SELECT * FROM other.${SECRET}`, ''],
    [`SELECT * FROM "other".${SECRET}`, 'database=acme'],
    [`SELECT * FROM ${SECRET}`, 'database=other'],
    [`SELECT * FROM ${SECRET}`, ''],
    [`SELECT * FROM logs, other.${SECRET}`, ''],
    [`DESCRIBE other.${SECRET}`, ''],
    [`DESCRIBE SELECT * FROM other.${SECRET}`, ''],
    [`DESCRIBE TABLE (SELECT * FROM ${SECRET})`, ''],
    [`EXISTS TABLE other.${SECRET}`, ''],
    [`EXISTS TABLE ${SECRET}`, ''],
    [`SHOW CREATE TABLE ${SECRET}`, ''],
    ['SHOW TABLES FROM other', ''],
    ['USE other', ''],
    ['SHOW DATABASES', ''],
    ['SHOW PROCESSLIST', ''],
    ['SELECT * FROM system.tables', ''],
    ['SELECT * FROM system.columns', ''],
    ['SELECT * FROM `system`.columns', 'readonly=0'],
    ['SELECT * FROM system.query_log', ''],
    ['SELECT * FROM system.processes', ''],
    ['SELECT * FROM system.parts', ''],
    ['SELECT * FROM information_schema.tables', ''],
    ["SELECT * FROM merge('.*', '.*')", ''],
    [`SELECT * FROM {d:Identifier}.{t:Identifier}`, `param_d=other&param_t=${SECRET}`],
    ['SELECT * FROM {t:Identifier}', `param_t=other.${SECRET}`],
    ['SELECT * FROM system.{t:Identifier}', 'param_t=query_log'],
    [`SELECT * FROM x`, 'x_structure=a%20String&x_format=TSV'],
    ['SELECT 1', 'stacktrace=1&send_logs_level=trace'],
    [`SELECT 1 FORMAT JSON; SELECT * FROM other.${SECRET}`, ''],
    [`SELECT 1 /* FORMAT JSON */ UNION ALL SELECT 2 FROM other.${SECRET}`, ''],
    [`EXPLAIN ESTIMATE SELECT * FROM other.${SECRET}`, ''],
    [`INSERT INTO other.${SECRET} VALUES (1)`, ''],
  ])('shows nothing of another organization by %s %s', async (statement, parameters) => {
    const { status, bytes, headers } = await ask(statement, parameters);
    const answered = JSON.stringify(headers) + bytes.toString();
    const said = statement + decodeURIComponent(parameters);
    expect(status).toBeLessThan(500);
    for (const secret of [SECRET, 'whisper_column', 'other'])
      if (!said.includes(secret)) expect(answered).not.toContain(secret);
    // A refusal may say what was asked, and no row has it.
    if (status === 200) expect(answered).not.toContain(SECRET);
  });

  it('opens no other organization, by any header', async () => {
    const headers = { 'x-clickhouse-database': 'other' };
    expect(await told('SELECT 1', '', { headers })).toMatch(/^404 Code: 60\./);
    const path = `/api/other/clickhouse/?query=SELECT%201`;
    const outside = await server.client.call(path, { credentials: VIEWER });
    expect([outside.status, outside.headers['x-clickhouse-exception-code']]).toEqual([403, '497']);
    const none = await server.client.call(path.replace('other', 'none'), { credentials: VIEWER });
    expect(none.bytes.toString().replace('none', 'other')).toBe(outside.bytes.toString());
    // The user is the one of the credentials, and not one named beside them.
    const both = { 'x-clickhouse-user': 'root@example.com', 'x-clickhouse-key': 'x' };
    expect(await told('SELECT currentUser()', '', { headers: both })).toBe('vera@example.com\n');
  });

  it('takes no tables beside a statement', async () => {
    const body =
      '--b\r\ncontent-disposition: form-data; name="x"; filename="x"\r\n\r\n1\r\n--b--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const query = encodeURIComponent('SELECT * FROM x');
    expect(await told(body, `query=${query}`, { headers })).toMatch(/^400 .*external tables/);
  });
});
