import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
});
