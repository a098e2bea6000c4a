import { randomBytes } from 'node:crypto';
import type { Answer } from '../server/client.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const MIB = 1024 * 1024;
const BOUND = 3 * MIB;

describe('the bound on what an organization keeps', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_ORG_STORAGE_BYTES: String(BOUND) } });
    const user = { email: 'ann@example.com', password: 'Secret-77', role: 'member' };
    await server.client.call('/api/default/users', { body: JSON.stringify(user) });
    for (const organization of ['full', 'calm', 'crowd', 'garbage', 'bulk'])
      await server.client.call(`/api/${organization}/users/${user.email}`, {
        body: '{"role":"admin"}',
      });
  });
  afterAll(() => server.stop());

  /** No engine makes it smaller than three quarters. */
  const noise = (bytes: number): string =>
    Array.from({ length: bytes / 1024 }, () => randomBytes(768).toString('base64'))
      .map((text) => `{"p":"${text}"}\n`)
      .join('');
  const upload = (path: string, body: string): Promise<Answer> =>
    server.client.call(`/api/${path}`, { body });
  const messageOf = (answer: Answer): string => answer.json<{ message: string }>().message;

  it('is bounded by the bytes on disk, for it alone, until it has deleted something', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n < 6; n += 1)
      answers.push(await upload(`full/s${n}/_json?wait=true`, noise(MIB)));
    const stored = answers.filter(({ status }) => status === 200).length;
    expect([2, 3, 4]).toContain(stored);
    const refused = answers.slice(stored);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429));
    for (const answer of refused) {
      expect(messageOf(answer)).toMatch(
        /keeps about [\d.]+ MiB of the 3\.0 MiB it may keep \(MILLRACE_ORG_STORAGE_BYTES\).*nothing of this upload was stored; delete streams/,
      );
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    // The bound does not touch other organizations, nor the rows that this one has.
    expect((await upload('calm/s/_json?wait=true', noise(MIB))).status).toBe(200);
    const rows = await upload('full/sql', 'SELECT count() AS n FROM s0');
    expect(rows.json()).toEqual([{ n: 1024 }]);
    const { bytes } = await server.client.call('/metrics');
    expect(bytes.toString()).toMatch(
      /millrace_storage_refused_total\{bound="organization"\} [1-9]/,
    );
    expect(bytes.toString()).toMatch(/millrace_warehouse_disk_free_ratio 0?\.?\d/);
    for (const name of ['s0', 's1'])
      await server.client.call(`/api/full/${name}`, { method: 'DELETE' });
    await until(async () => (await upload('full/again/_json', noise(MIB))).status === 200);
  });

  it('is not passed by uploads at the same time', async () => {
    const bodies = Array.from({ length: 8 }, () => noise(MIB));
    const answers = await Promise.all(
      bodies.map((body, n) => upload(`crowd/s${n}/_json?wait=true`, body)),
    );
    const stored = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8 - stored);
    expect(stored).toBeGreaterThan(1);
    expect(stored * 0.75 * MIB).toBeLessThanOrEqual(BOUND);
  });

  it('counts rejected records', async () => {
    expect((await upload('garbage/s/_json?wait=true', '{"p":1}')).status).toBe(200);
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1)
      statuses.push((await upload('garbage/s/_json?wait=true', noise(MIB))).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
    const rows = await upload('garbage/sql', 'SELECT count() AS n FROM s');
    expect(rows.json()).toEqual([{ n: 1 }]);
  });

  it('holds for bulk requests, as a whole', async () => {
    const action = '{"index":{"_index":"s"}}\n';
    const body = (): string =>
      noise(MIB)
        .split(/(?<=\n)/)
        .map((line) => action + line)
        .join('');
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1)
      statuses.push((await upload('bulk/_bulk?wait=true', body())).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
  });
});
