import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OLDER_TEXTS, OLDER_VISITS } from '../fixtures/older-visits.js';
import type { Answer } from '../server/client.js';
import { askHistory } from '../server/release-history.js';
import { runMillrace } from '../server/run-millrace.js';
import { startServer } from '../server/start-server.js';
import { until } from '../server/until.js';

const releases = join(import.meta.dirname, '../fixtures/releases');
const archives = readdirSync(releases).filter((name) => name.endsWith('.tar.gz'));
const TIMEOUT_MS = 120_000;

interface Kept {
  readonly token: string;
  readonly answers: object;
}

/** `test/server/make-release-data.ts` makes these, once a release. */
describe('the data directory of a release', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is kept of each release', () => {
    const root = join(import.meta.dirname, '../..');
    const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    const released = [...changes.matchAll(/^## (\d+\.\d+\.\d+)$/gm)].map(([, version]) => version);
    expect(released.length).toBeGreaterThan(0);
    expect(archives).toEqual(
      expect.arrayContaining(released.map((version) => `${version ?? ''}.tar.gz`)),
    );
  });

  it.each(archives)(
    '%s is opened, answers what it did, goes on, and its audit trail verifies',
    async (archive) => {
      execFileSync('tar', ['-C', folder, '-xzf', join(releases, archive)]);
      const kept = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as Kept;
      const dataDirectory = join(folder, 'data');
      const server = await startServer({ dataDirectory });
      try {
        // A later version may add fields to an answer.
        expect(await askHistory(server.client, kept.token)).toMatchObject(kept.answers);
        await until(async () => (await server.client.count('late')) === 1);
        await server.client.upload('logs', [{ n: 1000, nested: { at: { depth: 1 } } }]);
        expect(await server.client.count('logs')).toBe(101);
      } finally {
        await server.stop();
      }
      const verified = await runMillrace(['audit:verify'], {
        home: folder,
        variables: { MILLRACE_DATA_DIR: dataDirectory, MILLRACE_LOG_LEVEL: 'fatal' },
      });
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(/acme: \d+ entries, intact[^]*default: \d+ entries, intact/),
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'of 0.2.0 keeps text as text, says how to convert it, and what it says does',
    async () => {
      execFileSync('tar', ['-C', folder, '-xzf', OLDER_TEXTS]);
      const server = await startServer({ dataDirectory: join(folder, 'data') });
      const { client } = server;
      try {
        const texts = 'SELECT _timestamp, day, paid, price FROM visits ORDER BY _timestamp';
        const kept = await client.sql(texts);
        expect(kept.map(({ day }) => day)).toEqual(OLDER_VISITS.map(({ day }) => day));
        await client.uploadTo(
          'visits/_csv',
          'day,paid,price\n2026-04-01,2026-04-01T00:00:00Z,1.5\n',
        );
        const schema = await client.call('visits/schema');
        const { schema: columns } = schema.json<{ schema: { name: string; type: string }[] }>();
        const typeOf = new Map(columns.map(({ name, type }) => [name, type]));
        expect(['day', 'paid', 'price'].map((name) => typeOf.get(name))).toEqual(Array(3).fill('Utf8')); // prettier-ignore

        const declared = { day: 'Date32', paid: 'Timestamp', price: 'Decimal128(12, 2)' };
        const declare = (stream: string): Promise<Answer> =>
          client.call(`${stream}/settings`, { body: JSON.stringify({ columns: declared }) });
        const refused = await declare('visits');
        expect([refused.status, refused.json<{ message: string }>().message]).toEqual([
          400,
          expect.stringMatching(/text stays text; declare the type in a new stream.*x-ndjson/),
        ]);

        expect((await declare('visits_typed')).status).toBe(200);
        const headers = { accept: 'application/x-ndjson' };
        const rows = await client.call('sql', { body: 'SELECT * FROM visits', headers });
        const sent = await client.call('visits_typed/_json?wait=true', { body: rows.bytes });
        expect(sent.json<{ status: object[] }>().status).toMatchObject([
          { successful: OLDER_VISITS.length, failed: 1 },
        ]);
        // Each value is the one that its text was, and the other columns are as they were.
        const [differing] = await client.sql(`
          SELECT count() AS rows, countIf(toString(t.day) IS DISTINCT FROM v.day) AS days,
            countIf(t.paid IS DISTINCT FROM parseDateTime64BestEffortOrNull(v.paid, 6, 'UTC')) AS times,
            countIf(t.price IS DISTINCT FROM CAST(v.price AS DECIMAL(12, 2))) AS prices,
            countIf((toJSONString(t.by), t.tags, t.ratio, t.n) != (toJSONString(v.by), v.tags, v.ratio, v.n)) AS others
          FROM visits_typed t JOIN (SELECT * FROM visits WHERE price != 'much') v USING (_timestamp)`);
        expect(differing).toEqual({ rows: OLDER_VISITS.length, days: 0, times: 0, prices: 0, others: 0 }); // prettier-ignore
        const [row] = await client.sql("SELECT max(day) AS last, sum(price) AS sum FROM visits_typed WHERE day < DATE '2299-12-31'"); // prettier-ignore
        expect(row).toEqual({ last: '2026-04-01', sum: 13.79 });
        expect(await client.sql('SELECT record FROM _rejected')).toEqual([
          { record: expect.stringContaining('tomorrow') as string },
        ]);
      } finally {
        await server.stop();
      }
    },
    TIMEOUT_MS,
  );
});
