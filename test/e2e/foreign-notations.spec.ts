import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ANALYSTS_STATEMENTS } from '../fixtures/analysts-statements.js';
import { CLOUD_MISTAKES, CLOUD_STATEMENTS } from '../fixtures/cloud-statements.js';
import {
  FOREIGN_MISTAKES,
  FOREIGN_RECORDS,
  FOREIGN_STATEMENTS,
} from '../fixtures/foreign-notations.js';
import { VALUES_OF_NOBODY, VALUES_OF_OTHERS } from '../fixtures/values-of-others.js';
import { WRITTEN_TYPE_MISTAKES, WRITTEN_TYPES } from '../fixtures/written-types.js';
import { borrowServer, type BorrowedServer } from '../server/borrow-server.js';
import { startEdge, type Edge } from '../server/start-edge.js';

/** Answers are those of DuckDB 2.0.1 over the same records, where it reads the statement. */
describe('notations of DuckDB, Postgres and others', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-foreign-'));
  let server: BorrowedServer;
  let edge: Edge;

  beforeAll(async () => {
    const file = join(directory, 'docs.ndjson');
    writeFileSync(file, FOREIGN_RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''));
    [server, edge] = await Promise.all([borrowServer(), startEdge(['--table', `docs=${file}`])]);
    await server.client.upload('docs', FOREIGN_RECORDS);
  });
  afterAll(async () => {
    await Promise.all([server.giveBack(), edge.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  const both = async (sql: string): Promise<readonly (readonly [number, string])[]> => {
    const { status, bytes } = await server.client.call('sql', { body: sql });
    const own = await edge.sql(sql);
    return [
      [status, bytes.toString()],
      [own.status, own.text],
    ];
  };

  it.each([
    ...FOREIGN_STATEMENTS,
    ...CLOUD_STATEMENTS,
    ...ANALYSTS_STATEMENTS,
    ...WRITTEN_TYPES,
    ...VALUES_OF_OTHERS,
  ])('answers %s', async (sql, values) => {
    for (const [status, text] of await both(sql)) {
      expect([status, text]).toEqual([200, expect.any(String)]);
      const rows = JSON.parse(text) as Readonly<Record<string, unknown>>[];
      expect(rows.map((row) => Object.values(row))).toEqual(values);
    }
  });

  it.each([...FOREIGN_MISTAKES, ...CLOUD_MISTAKES, ...WRITTEN_TYPE_MISTAKES, ...VALUES_OF_NOBODY])(
    'refuses %s',
    async (sql, message) => {
      for (const [status, text] of await both(sql)) {
        expect(status).toBe(400);
        expect(text).toMatch(message);
      }
    },
  );

  it('refuses NATURAL JOIN where it would be by the time of the rows', async () => {
    await server.client.upload('prices', [{ id: 1, price: 2 }]);
    const named =
      'WITH few AS (SELECT * FROM prices), ids AS (SELECT * EXCEPT (_timestamp) FROM few)';
    for (const sql of [
      'SELECT id FROM docs NATURAL JOIN prices',
      'SELECT id FROM docs NATURAL JOIN (SELECT id, _timestamp FROM prices)',
      `${named} SELECT id FROM docs NATURAL JOIN few`,
      `${named} SELECT id FROM few NATURAL JOIN docs`,
    ]) {
      const { status, bytes } = await server.client.call('sql', { body: sql });
      expect([status, bytes.toString()]).toEqual([400, expect.stringContaining('USING (id)')]);
    }
    expect(await server.client.sql(`${named} SELECT id FROM docs NATURAL JOIN ids`)).toEqual([
      { id: 1 },
    ]);
  });

  it('cuts lists as DuckDB does, whatever the places', async () => {
    const place = fc.oneof(fc.constant(undefined), fc.integer({ min: -6, max: 6 }));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 5 }),
        place,
        place,
        fc.boolean(),
        async (size, from, to, isColumn) => {
          const list = Array.from({ length: size }, (_, at) => at + 1);
          const first =
            from === undefined ? 1 : from < 0 ? Math.max(size + from + 1, 1) : Math.max(from, 1);
          const last = to === undefined ? size : to < 0 ? size + to + 1 : to;
          const written = [from, to].map((at, which) =>
            at === undefined ? '' : isColumn ? 'ft'.charAt(which) : at,
          );
          const sql = `SELECT l[${written.join(':')}] AS x FROM (SELECT arrayMap(n -> toInt64(n), range(1, ${size + 1})) AS l, ${from ?? 0} AS f, ${to ?? 0} AS t)`;
          const cut = list.slice(first - 1, Math.max(last, 0));
          expect(JSON.parse((await edge.sql(sql)).text)).toEqual([{ x: cut }]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('takes LIKE … ESCAPE for what the standard says', async () => {
    const pattern = fc.array(fc.constantFrom('a', 'b', '%', '_', '!%', '!_', '!!'), {
      maxLength: 5,
    });
    const value = fc.array(fc.constantFrom('a', 'b', '%', '_', '!'), { maxLength: 5 });
    const meaning = (piece: string): string =>
      piece === '%' ? '.*' : piece === '_' ? '.' : piece.slice(-1).replace(/[%_!]/, '\\$&');
    await fc.assert(
      fc.asyncProperty(pattern, value, async (pieces, characters) => {
        const sql = `SELECT '${characters.join('')}' LIKE '${pieces.join('')}' ESCAPE '!' AS x`;
        const isLike = new RegExp(`^${pieces.map(meaning).join('')}$`).test(characters.join(''));
        expect(JSON.parse((await edge.sql(sql)).text)).toEqual([{ x: isLike }]);
      }),
      { numRuns: 100 },
    );
  });
});
