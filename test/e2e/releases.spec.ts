import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { askLaterHistory } from '../server/later-history.js';
import { ANN, askHistory } from '../server/release-history.js';
import { runOperator } from '../server/run-millrace.js';
import { startServer } from '../server/start-server.js';
import { until } from '../server/until.js';

const releases = join(import.meta.dirname, '../fixtures/releases');
const archives = readdirSync(releases).filter((name) => name.endsWith('.tar.gz'));
const TIMEOUT_MS = 120_000;

interface Kept {
  readonly token: string;
  readonly answers: object;
  /** The archive of 0.2.0 has none. */
  readonly later?: object;
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
    // The program of the last one is kept as well: test/distributed/two-versions.spec.ts.
    expect(readdirSync(releases)).toContain(`program-${released[0] ?? ''}.tar.br`);
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
        if (kept.later) expect(await askLaterHistory(server.client)).toMatchObject(kept.later);
        await until(async () => (await server.client.count('late')) === 1);
        await server.client.upload('logs', [{ n: 1000, nested: { at: { depth: 1 } } }]);
        expect(await server.client.count('logs')).toBe(101);
      } finally {
        await server.stop();
      }
      const verified = await runOperator(['audit:verify'], {
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
      execFileSync('tar', ['-C', folder, '-xzf', join(releases, '0.2.0.tar.gz')]);
      const server = await startServer({ dataDirectory: join(folder, 'data') });
      const ask = (path: string, body?: string | Buffer, accept = '*/*'): Promise<Answer> =>
        server.client.call(`/api/acme/${path}`, {
          credentials: ANN,
          headers: { accept },
          ...(body === undefined ? {} : { body }),
        });
      try {
        // Whole numbers and a word are text in `n`, and so is what still comes there, and in `note`.
        await ask('orders/_json?wait=true', '[{"n":4,"note":"2026-04-01","price":"5.10"}]');
        const { schema } = (await ask('orders/schema')).json<{
          schema: { name: string; type: string }[];
        }>();
        for (const name of ['n', 'note'])
          expect(schema).toContainEqual(expect.objectContaining({ name, type: 'Utf8' }));

        const declare = (stream: string, columns: object): Promise<Answer> =>
          ask(`${stream}/settings`, JSON.stringify({ columns }));
        const refused = await declare('orders', { note: 'Date32' });
        expect([refused.status, refused.json<{ message: string }>().message]).toEqual([
          400,
          expect.stringMatching(/text stays text; declare the type in a new stream.*x-ndjson/),
        ]);

        const typed = {
          ...{ shipped: 'Date32', paid: 'Timestamp', price: 'Decimal128(15, 2)' },
          n: 'Decimal128(10, 0)',
        };
        expect((await declare('orders_typed', typed)).status).toBe(200);
        expect((await declare('notes_typed', { note: 'Date32' })).status).toBe(200);
        const copy = async (from: string, to: string): Promise<unknown> => {
          const rows = await ask('sql', from, 'application/x-ndjson');
          return (await ask(`${to}/_json?wait=true`, rows.bytes)).json();
        };
        expect(await copy('SELECT * FROM orders', 'orders_typed')).toMatchObject({
          status: [{ successful: 3, failed: 1 }],
        });
        const days = "SELECT _timestamp, note FROM orders WHERE note LIKE '2026-%'";
        expect(await copy(days, 'notes_typed')).toMatchObject({
          status: [{ successful: 1, failed: 0 }],
        });
        // Each value is the one that its text was, and the other columns are as they were.
        const compared = await ask(
          'sql',
          `SELECT count(*) AS rows, countIf(toString(t.n) IS DISTINCT FROM o.n) AS numbers,
            countIf((t.shipped, t.paid, t.price, t.items, t.note)
              IS DISTINCT FROM (o.shipped, o.paid, o.price, o.items, o.note)) AS others
          FROM orders_typed t JOIN (SELECT * FROM orders WHERE n != 'three') o USING (_timestamp)`,
        );
        expect(compared.json()).toEqual([{ rows: 3, numbers: 0, others: 0 }]);
        const note = await ask(
          'sql',
          "SELECT note FROM notes_typed WHERE note > DATE '2026-03-31'",
        );
        expect(note.json()).toEqual([{ note: '2026-04-01' }]);
      } finally {
        await server.stop();
      }
    },
    TIMEOUT_MS,
  );
});
