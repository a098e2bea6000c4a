import type { ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rounds } from '../rounds.js';
import { runOperator, startOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

/** Several servers start, one after the other. */
const TIMEOUT_MS = 480_000;
const WORKERS = 3;
const ROWS = 20;
/**
 * A worker pauses so long between two uploads, in CI: all of them are sent twice more. The pause grows
 * with them, or a machine that backs up slowly would have thousands.
 */
const pauseMs = (uploads: number): number => rounds(Math.max(80, uploads), 0);
/** So many uploads are between two backups: the streams of all workers are others then, in the campaign. */
const ENOUGH = rounds(30, 60);
/** An upload of a stream has a new one, as long as there are some. */
const NEW_FIELDS = 40;

interface Upload {
  readonly stream: string;
  readonly body: string;
  readonly key: string;
}

/** Uploads while the rest goes on, each named; what was acknowledged is in `done`, in order. */
class Ingest {
  readonly done: Upload[] = [];
  private stopped = false;
  private readonly working: Promise<void[]>;

  constructor(private readonly server: Server) {
    this.working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.work(worker)));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.working;
  }

  /** All of it, those of each stream in their order. */
  async sendAgain(to: Server): Promise<void> {
    await Promise.all(
      Array.from({ length: WORKERS }, async (_, worker) => {
        const own = this.done.filter(({ stream }) => stream.startsWith(`s${worker}_`));
        for (const upload of own) await send(to, upload);
      }),
    );
  }

  private async work(worker: number): Promise<void> {
    for (let n = 0; !this.stopped; n += 1) {
      const upload = uploadOf(worker, n);
      await send(this.server, upload);
      this.done.push(upload);
      await sleep(pauseMs(this.done.length));
    }
  }
}

/** Streams are new all the time, fields too; an upload in ten has records that are rejected. */
function uploadOf(worker: number, n: number): Upload {
  const key = `w${worker}-${n}`;
  const rows: object[] = Array.from({ length: ROWS }, (_, row) => ({
    key,
    row,
    [`f${n % NEW_FIELDS}`]: row / 2,
  }));
  if (n % 10 === 9) rows.push({ key: { not: 'a text' }, row: 'x' }, { key, row: { a: n } });
  return { stream: `s${worker}_${Math.floor(n / 25)}`, body: JSON.stringify(rows), key };
}

async function send({ client }: Server, { stream, body, key }: Upload): Promise<void> {
  const headers = { 'idempotency-key': key };
  const answer = await client.call(`/api/default/${stream}/_json`, { body, headers });
  if (answer.status !== 200) throw new Error(answer.bytes.toString());
}

/** All that was on the queue is in tables. */
const written = async ({ client }: Server): Promise<void> =>
  void (await client.upload('last', [{ a: 1 }]));

/** Rows of each upload, from all streams, and of the records rejected. */
async function stored({ client }: Server): Promise<ReadonlyMap<string, string>> {
  const { list } = (await client.call('/api/default/streams')).json<{ list: { name: string }[] }>();
  const found = new Map<string, string>();
  for (const { name } of list.filter((each) => /^s\d/.test(each.name))) {
    const rows = await client.sql<{ key: string; rows: string }>(
      `SELECT key, toString(arraySort(groupArray("row"))) AS rows FROM ${name} GROUP BY key`,
    );
    for (const { key, rows: all } of rows) found.set(key, all);
  }
  return found;
}
const rejected = ({ client }: Server): Promise<unknown[]> =>
  client.sql('SELECT stream, line, record, count() AS n FROM _rejected GROUP BY ALL ORDER BY ALL');

describe('a backup of a running server', () => {
  let directory: string;
  let server: Server;
  let key: string;
  const data = (): string => join(directory, 'data');
  const backups = (): string => join(directory, 'backups');
  const start = (dataDirectory: string): Promise<Server> =>
    startServer({
      dataDirectory,
      variables: {
        MILLRACE_BACKUP_DIR: backups(),
        ...(dataDirectory === data() ? {} : { MILLRACE_SECRET_KEY: key }),
      },
    });
  const options = (variables: Record<string, string> = {}) => ({
    home: directory,
    variables: { MILLRACE_DATA_DIR: data(), MILLRACE_LOG_LEVEL: 'fatal', ...variables },
  });
  const backUp = (...args: string[]): Promise<Ended> => runOperator(['backup', ...args], options());
  const restore = (name: string, to: string): Promise<Ended> =>
    runOperator(
      ['restore', join(backups(), name)],
      options({ MILLRACE_DATA_DIR: join(directory, to) }),
    );
  const person = (email: string) => ({
    body: JSON.stringify({ email, password: 'Secret-77', first_name: 'A', last_name: 'B', role: 'admin' }), // prettier-ignore
  });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-live-backup-'));
    server = await start(data());
    key = readFileSync(join(data(), 'secret-key'), 'utf8').trim();
    const lines = Array.from({ length: 300_000 }, (_, n) => `{"n":${n},"t":"${(n * 7919) % 1e9}"}`);
    await server.client.uploadTo('large/_multi', lines.join('\n'));
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  it(
    'has all that was acknowledged before, nothing half or twice, and goes on, with a base or without',
    async () => {
      const ingest = new Ingest(server);
      const enough = async (): Promise<void> => {
        const from = ingest.done.length;
        await until(() => Promise.resolve(ingest.done.length > from + ENOUGH));
      };
      await enough();
      await server.client.call('/api/default/users', person('ann@example.com'));
      const before = [...ingest.done];
      const full = await backUp('--name', 'full');
      expect([full.code, full.stdout]).toEqual([0, `${join(backups(), 'full')}\n`]);
      await enough();
      await server.client.call('/api/default/users', person('ben@example.com'));
      const beforeLater = [...ingest.done];
      const later = await backUp('--name', 'later', '--base', 'full');
      expect([later.code, later.stdout]).toEqual([0, `${join(backups(), 'later')}\n`]);
      await enough();
      await ingest.stop();
      await written(server);
      const [all, allRejected] = [await stored(server), await rejected(server)];
      expect(all.size).toBe(ingest.done.length);
      // A later backup does not hold unchanged files again.
      const largest = join(backups(), 'full');
      expect(bytesBelow(join(backups(), 'later'))).toBeLessThan(bytesBelow(largest));
      expect(statSync(largest).mode & 0o777).toBe(0o700);

      const cases = [
        ['full', before, [200, 401]],
        ['later', beforeLater, [200, 200]],
      ] as const;
      for (const [name, acknowledged, logins] of cases) {
        const to = `restored-${name}`;
        expect(await restore(name, to)).toMatchObject({ code: 0 });
        expect(existsSync(join(directory, to, 'secret-key'))).toBe(false);
        const restored = await start(join(directory, to));
        await written(restored);
        const found = await stored(restored);
        const missing = acknowledged.filter((upload) => !found.has(upload.key));
        expect(missing).toEqual([]);
        // An upload is stored completely and once, or not at all.
        const other = [...found].filter(([upload, rows]) => all.get(upload) !== rows);
        expect(other).toEqual([]);
        expect(found.size).toBeLessThan(all.size);
        expect(await restored.client.count('large')).toBe(300_000);
        for (const [index, email] of ['ann@example.com', 'ben@example.com'].entries()) {
          const credentials = { email, password: 'Secret-77' };
          const { status } = await restored.client.call('/api/default/streams', { credentials });
          expect(status).toBe(logins[index]);
        }
        // A client that does not know what was lost sends everything again, and nothing is stored
        // twice.
        await ingest.sendAgain(restored);
        await written(restored);
        expect(await stored(restored)).toEqual(all);
        expect(await rejected(restored)).toEqual(allRejected);
        await restored.stop();
        const variables = { MILLRACE_DATA_DIR: join(directory, to), MILLRACE_SECRET_KEY: key };
        const verified = await runOperator(['audit:verify'], options(variables));
        expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/intact/)]);
      }
    },
    TIMEOUT_MS,
  );

  /** @returns the name of one that `breakOff` came in the middle of */
  async function brokenOff(breakOff: (asked: ChildProcess) => Promise<void>): Promise<string> {
    for (let n = 0; ; n += 1) {
      const name = `broken${n}-${Date.now()}`;
      const folder = join(backups(), name);
      const asked = startOperator(['backup', '--name', name], options());
      let hasEnded = false;
      void asked.ended.finally(() => (hasEnded = true));
      while (!existsSync(folder) && !hasEnded) await sleep(1);
      await breakOff(asked.process);
      const { code, stderr } = await asked.ended;
      if (code !== 0 && !isWhole(folder)) return name;
      expect(stderr).not.toMatch(/backup:/);
    }
  }
  const isWhole = (name: string): boolean => existsSync(join(name, 'manifest.json'));

  it(
    'that ends in the middle leaves half a backup, which is refused by its name, and a server that starts',
    async () => {
      const name = await brokenOff(() => server.kill());
      const { code, stderr } = await restore(name, 'of-half');
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(new RegExp(`the backup ${name} is not whole`)),
      ]);
      expect(existsSync(join(directory, 'of-half'))).toBe(false);
      const none = await backUp();
      expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/no server answers/)]);
      server = await start(data());
      expect(await server.client.count('large')).toBe(300_000);
      expect((await backUp('--name', 'after')).code).toBe(0);
    },
    TIMEOUT_MS,
  );

  it('is called off when the operator interrupts it, and nothing is left of it', async () => {
    const isGone = (name: string): boolean => !existsSync(join(backups(), name));
    let name: string;
    // The server may have been done just before it heard of it.
    do {
      name = await brokenOff((asked) => Promise.resolve(void asked.kill('SIGTERM')));
      await until(() => Promise.resolve(isGone(name) || isWhole(join(backups(), name))));
    } while (!isGone(name));
    await until(async () => (await backUp('--name', `${name}-again`)).code === 0);
  });

  it.each<[string, string[], RegExp]>([
    ['a name that is there', ['--name', 'full'], /there is a backup full already/],
    ['a name that leads elsewhere', ['--name', '../x'], /cannot be called "\.\.\/x"/],
    ['a base that is not there', ['--base', 'nope'], /there is no backup .*nope/],
    ['a base with a base', ['--base', 'later'], /the backup later needs full itself/],
  ])('says what is wrong: %s', async (_, args, message) => {
    expect(await backUp(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message) as string,
    });
  });

  it('is restored into an empty folder only, whole and with its base', async () => {
    const full = await restore('full', 'data');
    expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/is not empty/)]);
    const manifest = join(backups(), 'later/manifest.json');
    const whole = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, whole.replace('"base": "full"', '"base": "elsewhere"'));
    const alone = await restore('later', 'alone');
    expect(alone.stderr).toMatch(/since the backup elsewhere, which is not beside it/);
    writeFileSync(manifest, whole.replace(/"sha256": "./, '"sha256": "-'));
    const damaged = await restore('later', 'damaged');
    expect(damaged.stderr).toMatch(/is not what was backed up/);
    writeFileSync(manifest, whole);
    // The half-restored folder is gone, so the restore may be tried again.
    expect((await restore('later', 'damaged')).code).toBe(0);
    writeFileSync(join(directory, 'damaged/restoring'), 'later\n');
    await expect(start(join(directory, 'damaged'))).rejects.toThrow(/is not whole: empty/);
  });
});

/** Counts the bytes of the copied tables. */
function bytesBelow(backup: string): number {
  const found = readdirSync(join(backup, 'tables'), { recursive: true, encoding: 'utf8' });
  return found.reduce((sum, file) => sum + statSync(join(backup, 'tables', file)).size, 0);
}
