import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breath } from '../rounds.js';
import { startServer, type Server } from '../server/start-server.js';

const DISK_MIB = 256;
const TIMEOUT_MS = 180_000;
/** Times that all writes stop, for so many seconds, and go on for less than half as long. */
const STALLS = 10;
const STALL_SECONDS = 0.7;
const BETWEEN_SECONDS = 0.3;

// Each stall freezes the file system: a write, a sync, a new file wait until it ends.
describe('a disk that answers slowly', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-slow-'));
  const [image, mounted] = [join(directory, 'image'), join(directory, 'mounted')];
  let server: Server;

  beforeAll(async () => {
    mkdirSync(mounted);
    writeFileSync(image, '');
    truncateSync(image, DISK_MIB * 1024 * 1024);
    execFileSync('mkfs.ext4', ['-q', image]);
    execFileSync('mount', ['-o', 'loop', image, mounted]);
    server = await startServer({
      dataDirectory: join(mounted, 'data'),
      variables: { MILLRACE_MIN_FREE_DISK_BYTES: '0' },
    });
    await server.client.upload('logs', [{ n: -1 }]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server.kill();
    execFileSync('umount', ['-l', mounted]);
    rmSync(directory, { recursive: true, force: true });
  }, TIMEOUT_MS);

  /** Stalls the disk until it ends by itself, whatever becomes of this test. */
  const stalling = async (): Promise<void> => {
    const script = `for stall in $(seq ${STALLS}); do
      fsfreeze -f "$0"; sleep ${STALL_SECONDS}; fsfreeze -u "$0"; sleep ${BETWEEN_SECONDS}
    done`;
    const [code] = (await once(spawn('sh', ['-c', script, mounted]), 'exit')) as [number | null];
    expect(code).toBe(0);
  };

  it(
    'delays answers and fails none, and each row is stored once',
    async () => {
      let ended = false;
      let sent = 0;
      let asked = 0;
      const send = (n: number) =>
        server.client.call('/api/default/logs/_json', {
          body: JSON.stringify([{ n }]),
          headers: { 'idempotency-key': `row-${n}` },
        });
      const uploading = async (): Promise<void> => {
        while (!ended) {
          const answer = await send((sent += 1));
          expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
          await breath();
        }
      };
      const asking = async (): Promise<void> => {
        while (!ended) {
          expect(await server.client.count('logs')).toBeGreaterThan(0);
          asked += 1;
          await breath();
        }
      };
      const load = [uploading(), uploading(), uploading(), uploading(), asking()];
      await stalling().finally(() => (ended = true));
      await Promise.all(load);
      expect(Math.min(sent, asked)).toBeGreaterThan(STALLS);
      for (let n = 1; n <= sent; n += 1) expect((await send(n)).status).toBe(200);
      await server.client.upload('logs', [{ n: 0 }]);
      expect(
        await server.client.sql('SELECT count() AS rows, uniqExact(n) AS different FROM logs'),
      ).toEqual([{ rows: sent + 2, different: sent + 2 }]);
    },
    TIMEOUT_MS,
  );
});
