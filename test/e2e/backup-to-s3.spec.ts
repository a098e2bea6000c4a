import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { BUCKET, startS3, type S3 } from '../server/start-s3.js';
import { startServer, type Server } from '../server/start-server.js';

const TIMEOUT_MS = 120_000;

describe('a backup in S3', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-s3-backup-'));
  const data = join(directory, 'data');
  const backups = join(directory, 'backups');
  const to = `s3://${BUCKET}/of millrace/`;
  let s3: S3;
  let server: Server;
  const start = (dataDirectory: string, variables: Record<string, string> = {}): Promise<Server> =>
    startServer({ dataDirectory, variables: { MILLRACE_BACKUP_DIR: backups, ...variables } });
  const run = (args: string[], variables: Record<string, string> = {}): Promise<Ended> =>
    runOperator(args, {
      home: directory,
      variables: {
        ...{ MILLRACE_DATA_DIR: data, MILLRACE_BACKUP_DIR: backups, MILLRACE_LOG_LEVEL: 'fatal' },
        ...s3.variables,
        ...variables,
      },
    });
  const restored = join(directory, 'restored', 'data');
  const restore = (name: string): Promise<Ended> =>
    run(['restore', `${to}${name}`], { MILLRACE_DATA_DIR: restored });

  beforeAll(async () => {
    s3 = await startS3();
    server = await start(data);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await server.kill();
    await s3.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it(
    'is restored from there alone, with the one that it was made with',
    async () => {
      await server.client.upload('logs', [{ n: 1 }, { n: 2 }]);
      const full = await run(['backup', '--name', 'full', '--to', to]);
      expect([full.code, full.stdout]).toEqual([0, `${join(backups, 'full')}\n`]);
      await server.client.upload('logs', [{ n: 3 }]);
      const later = await run(['backup', '--name', 'later', '--base', 'full', '--to', to]);
      expect(later.code).toBe(0);
      renameSync(backups, `${backups}-elsewhere`);

      expect(await restore('later')).toMatchObject({ code: 0 });
      expect(readdirSync(join(directory, 'restored'))).toEqual(['data']);
      const key = readFileSync(join(data, 'secret-key'), 'utf8').trim();
      const again = await start(restored, { MILLRACE_SECRET_KEY: key });
      try {
        const rows = await again.client.sql('SELECT n FROM logs ORDER BY n');
        expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
      } finally {
        await again.stop();
      }
      rmSync(backups, { recursive: true, force: true });
      renameSync(`${backups}-elsewhere`, backups);
      const verified = await run(['audit:verify'], {
        MILLRACE_DATA_DIR: restored,
        MILLRACE_SECRET_KEY: key,
      });
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/intact/)]);
      rmSync(join(directory, 'restored'), { recursive: true });
    },
    TIMEOUT_MS,
  );

  it('whose copy failed is kept, and copied by the same command again', async () => {
    const named = ['backup', '--name', 'kept', '--to', to];
    const failed = await run(named, { AWS_ACCESS_KEY_ID: 'other' });
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/kept is whole, and its copy to s3:.* is not: it answers 403/),
    ]);
    expect(await run(named)).toMatchObject({ code: 0 });
    expect((await run(named)).stderr).toMatch(/there is a backup kept in s3:\S+ millrace already/);
    expect(await restore('kept')).toMatchObject({ code: 0 });
    rmSync(join(directory, 'restored'), { recursive: true });
  });

  it('is not sent without the one that it needs', async () => {
    await run(['backup', '--name', 'here']);
    const { code, stderr } = await run([
      'backup',
      '--name',
      'on-here',
      '--base',
      'here',
      '--to',
      to,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/needs here, which is not in s3:/)]);
  });

  it.each<[string, string[], RegExp]>([
    [
      'no backup there',
      ['restore', `s3://${BUCKET}/of millrace/none`],
      /there is no backup none in/,
    ],
    ['no bucket', ['restore', 's3://no-such-bucket/none'], /there is no bucket no-such-bucket/],
    ['no name', ['restore', `s3://${BUCKET}`], /names no backup/],
    ['another place', ['backup', '--to', '/srv/backups'], /want s3:\/\/<bucket>\/<folder>/],
    ['half a place', ['backup', '--to', 's3://'], /no place in S3/],
  ])('says what is wrong: %s', async (_, args, message) => {
    const variables = { MILLRACE_DATA_DIR: args[0] === 'restore' ? restored : data };
    const { code, stderr } = await run(args, variables);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(existsSync(restored)).toBe(false);
  });

  it('needs keys', async () => {
    const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const { code, stderr } = await run(['backup', '--to', to], none);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/needs AWS_ACCESS_KEY_ID/)]);
  });
});
