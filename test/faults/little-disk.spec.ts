import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const MIB = 1024 * 1024;
const DISK_MIB = 400;
/** This is less than a tenth of the disk, and more than is needed. */
const LEFT_MIB = 30;

describe('a disk with little room', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-little-'));
  const ballast = join(dataDirectory, 'ballast');
  let server: Server;
  beforeAll(async () => {
    // The test needs root, as CI has. Without root it fails loudly.
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', dataDirectory]);
    const variables = { MILLRACE_MIN_FREE_DISK_BYTES: String(MIB) };
    server = await startServer({ dataDirectory, variables });
    for (const email of ['ann@example.com', 'ben@example.com']) {
      const user = JSON.stringify({ email, password: 'Secret-77', role: 'member' });
      expect((await server.client.call('/api/default/users', { body: user })).status).toBe(200);
    }
  });
  afterAll(async () => {
    await server.kill();
    execFileSync('umount', ['-l', dataDirectory]);
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const found = async (organization: string, email: string): Promise<void> => {
    const answer = await server.client.call(`/api/${organization}/users/${email}`, {
      body: '{"role":"admin"}',
      credentials: { email, password: 'Secret-77' },
    });
    expect(answer.status).toBe(200);
  };
  const upload = (organization: string, body: string): Promise<Answer> =>
    server.client.call(`/api/${organization}/logs/_json?wait=true`, { body });
  const noise = (mib: number): string =>
    Array.from(
      { length: mib * 1024 },
      () => `{"p":"${randomBytes(768).toString('base64')}"}\n`,
    ).join('');

  it('refuses who keeps the most, with all that the same account has, and lets others go on', async () => {
    for (const organization of ['large', 'beside']) await found(organization, 'ann@example.com');
    await found('small', 'ben@example.com');
    expect((await upload('large', noise(12))).status).toBe(200);
    expect((await upload('small', noise(1))).status).toBe(200);
    const { bavail, bsize } = statfsSync(dataDirectory);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - LEFT_MIB * MIB));
    let refused = await upload('large', '{"p":"x"}');
    await until(async () => {
      refused = await upload('large', '{"p":"x"}');
      return refused.status !== 200;
    });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    expect(refused.json<{ message: string }>().message).toMatch(
      /less than a tenth of the disk is free, and nobody keeps more .*delete streams/,
    );
    expect((await upload('beside', '{"p":"x"}')).status).toBe(429);
    for (let n = 0; n < 5; n += 1) expect((await upload('small', '{"p":"x"}')).status).toBe(200);
    expect((await upload('default', '{"p":"x"}')).status).toBe(200);
    rmSync(ballast);
    await until(async () => (await upload('large', '{"p":"x"}')).status === 200);
  }, 120_000);
});
