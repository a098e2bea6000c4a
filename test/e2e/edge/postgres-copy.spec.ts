import { message, postgresClient, rawConnection, STARTUP } from '../../server/postgres-client.js';
import { startEdge, type Edge } from '../../server/start-edge.js';

/** ADBC, connectorx, polars and asyncpg read tables so. */
describe('COPY … TO STDOUT', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(['--addr-postgres', '127.0.0.1:0', '-t', 'cities=uk_cities_with_headers.csv']); // prettier-ignore
  }, 120_000);
  afterAll(() => edge.stop());

  /** Reads the bytes between the answer's begin and the tag. */
  const copied = async (statement: string): Promise<Buffer> => {
    const raw = await rawConnection(edge);
    raw.socket.write(STARTUP);
    await raw.heard('TimeZone');
    const before = raw.received().length;
    raw.socket.write(message('Q', statement));
    await raw.heard('COPY ');
    raw.socket.destroy();
    const pieces: Buffer[] = [];
    const answer = raw.received().subarray(before);
    for (let at = 0; at + 5 <= answer.length;) {
      const length = answer.readInt32BE(at + 1);
      if (answer[at] === 'd'.charCodeAt(0)) pieces.push(answer.subarray(at + 5, at + 1 + length));
      at += 1 + length;
    }
    return Buffer.concat(pieces);
  };

  const ROWS = "SELECT * FROM (VALUES (1, 'a\tb', NULL), (2, 'c\"d,e', true)) AS v(n, s, b)";

  it.each([
    [`COPY (${ROWS}) TO STDOUT`, '1\ta\\tb\t\\N\n2\tc"d,e\tt\n'],
    [`COPY (${ROWS}) TO STDOUT (FORMAT csv, HEADER)`, 'n,s,b\n1,a\tb,\n2,"c""d,e",t\n'],
    [`COPY (${ROWS}) TO STDOUT WITH CSV DELIMITER ';' NULL 'nil'`, '1;a\tb;nil\n2;"c""d,e";t\n'],
    ["COPY (SELECT '' AS s) TO STDOUT (FORMAT csv)", '""\n'],
    ['COPY (SELECT 1 AS n WHERE false) TO STDOUT (FORMAT csv, HEADER true)', 'n\n'],
    ['COPY (SELECT count(*) FROM cities) TO STDOUT', '37\n'],
  ])('%s', async (statement, expected) => {
    expect((await copied(statement)).toString()).toBe(expected);
  });

  it('copies a table and some of its columns', async () => {
    const lines = (await copied('COPY public.cities (city) TO STDOUT'))
      .toString()
      .trim()
      .split('\n');
    expect(lines).toHaveLength(37);
    expect(lines).toContain('Elgin, Scotland, the UK');
  });

  it('copies bytes: a signature, rows as they are sent otherwise, and an end', async () => {
    const bytes = await copied(
      "COPY (SELECT 7::int AS n, 'é' AS s, NULL AS x) TO STDOUT (FORMAT binary)",
    );
    expect(bytes.toString('hex')).toBe(
      [
        '5047434f50590aff0d0a00' + '00000000' + '00000000',
        '0003' + '00000004' + '00000007' + '00000002' + 'c3a9' + 'ffffffff',
        'ffff',
      ].join(''),
    );
    expect(
      (await copied('COPY (SELECT 1 WHERE false) TO STDOUT WITH BINARY')).toString('hex'),
    ).toBe('5047434f50590aff0d0a000000000000000000ffff');
  });

  it.each([
    ['COPY cities FROM STDIN', '25006'],
    ["COPY cities TO '/tmp/cities'", '25006'],
    ['COPY nothing TO STDOUT', '42P01'],
    ['COPY (SELECT nothing FROM cities) TO STDOUT', '42703'],
    ['COPY cities TO STDOUT (FORCE_QUOTE *)', '0A000'],
    ['COPY cities TO STDOUT (FORMAT xml)', '22023'],
    ["COPY cities TO STDOUT (DELIMITER 'a')", '0A000'],
  ])('refuses %s', async (statement, code) => {
    const client = await postgresClient(edge);
    await expect(client.query(statement)).rejects.toMatchObject({ code });
    await client.end();
  });

  it('passes over the rows of a COPY that it has refused, as asyncpg sends them', async () => {
    const raw = await rawConnection(edge);
    raw.socket.write(STARTUP);
    await raw.heard('TimeZone');
    const rows = [message('d', Buffer.from('a\tb\n')), message('c'), message('f', 'no more')];
    raw.socket.write(Buffer.concat([message('Q', 'COPY cities FROM STDIN'), ...rows]));
    await raw.heard('25006');
    raw.socket.write(message('Q', "SELECT 'still here' AS s"));
    await raw.heard('SELECT 1');
    expect(raw.received().toString()).toContain('still here');
    raw.socket.destroy();
  });
});
