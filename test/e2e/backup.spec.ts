import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../bin/prepare.mjs';
import { startServer } from '../server/start-server.js';

const root = join(import.meta.dirname, '../..');

/** The commands of docs/operations.md, in order: backup, restore. */
function documented(): readonly string[] {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const section = /## Backup and restore\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

const ANN = { email: 'ann@example.com', password: 'Secret-77' };
// Three servers start, one after the other.
const TIMEOUT_MS = 180_000;

describe('backup and restore, as docs/operations.md says', () => {
  it(
    'has everything again, goes on, and keeps the key and root’s password out of the backup',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
      const paths = {
        DATA: join(directory, 'data'),
        BACKUP: join(directory, 'millrace.tar'),
        RESTORED: join(directory, 'restored'),
      };
      const [backup = '', restore = ''] = documented();
      const sh = (commands: string): Buffer =>
        execFileSync('sh', ['-euc', commands], { env: { ...environment(), ...paths } });

      const before = await startServer({ dataDirectory: paths.DATA });
      await before.client.upload('logs', [{ a: 1 }, { a: 2 }]);
      await before.client.upload('logs', [{ a: 'x' }, { a: 3 }]);
      await before.client.upload('logs', [{ a: 4 }], { 'idempotency-key': 'once' });
      await before.client.call('/api/default/users', {
        body: JSON.stringify({ ...ANN, first_name: 'Ann', last_name: 'X', role: 'admin' }),
        headers: { 'content-type': 'application/json' },
      });
      // This one is acknowledged, and perhaps not written when the server stops.
      const waiting = { body: JSON.stringify([{ a: 5 }]) };
      expect((await before.client.call('/api/default/logs/_json', waiting)).status).toBe(200);
      await before.stop();
      const key = readFileSync(join(paths.DATA, 'secret-key'), 'utf8').trim();
      sh(backup);
      const kept = execFileSync('tar', ['-tf', paths.BACKUP]).toString();
      expect(kept).toMatch(/person-keys/);
      expect(kept).not.toMatch(/(secret-key|root-credentials)$/m);

      // Rows that come after the backup are lost with the folder.
      const lost = await startServer({ dataDirectory: paths.DATA });
      await lost.client.upload('logs', [{ a: 100 }]);
      await lost.kill();
      rmSync(paths.DATA, { recursive: true });

      sh(restore);
      expect(statSync(paths.RESTORED).mode & 0o777).toBe(0o700);
      const variables = { MILLRACE_SECRET_KEY: key };
      const after = await startServer({ dataDirectory: paths.RESTORED, variables });
      await after.client.upload('logs', [{ a: 6 }]);
      expect(await after.client.upload('logs', [{ a: 4 }], { 'idempotency-key': 'once' })).toEqual({
        name: 'logs',
        successful: 1,
        failed: 0,
      });
      expect(await after.client.sql('SELECT a FROM logs ORDER BY a')).toEqual(
        [1, 2, 3, 4, 5, 6].map((a) => ({ a })),
      );
      expect(await after.client.sql('SELECT count() AS n FROM _rejected')).toEqual([{ n: 1 }]);
      expect((await after.client.call('/api/default/streams', { credentials: ANN })).status).toBe(
        200,
      );
      await after.stop();
      const verify = join(root, 'dist/apps/api/audit-verify.js');
      const env = { ...environment(), ...variables, MILLRACE_DATA_DIR: paths.RESTORED };
      expect(execFileSync(process.execPath, [verify], { env }).toString()).toMatch(
        /default: \d+ entries, intact/,
      );
      rmSync(directory, { recursive: true });
    },
    TIMEOUT_MS,
  );
});
