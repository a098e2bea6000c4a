import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { storedFiles } from '../server/stored-files.js';

const TIMEOUT_MS = 180_000;
const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const BEN = { email: 'ben@example.com', password: 'Secret-78' };
const person = (credentials: typeof ANN) => ({
  body: JSON.stringify({ ...credentials, first_name: 'A', last_name: 'L', role: 'admin' }),
});

describe('millrace change-key', () => {
  let dataDirectory: string;
  let server: Server | undefined;
  const start = async (variables: Record<string, string> = {}): Promise<Server> =>
    (server = await startServer({ dataDirectory, variables }));
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const run = (args: string[], variables: Record<string, string> = {}): Promise<Ended> =>
    runOperator(args, {
      home: dataDirectory,
      variables: { MILLRACE_DATA_DIR: dataDirectory, MILLRACE_LOG_LEVEL: 'fatal', ...variables },
    });
  const secret = (): string => readFileSync(join(dataDirectory, 'secret-key'), 'utf8').trim();
  const call = (path: string, given: object = {}): Promise<Answer> => {
    if (!server) throw new Error('it does not run');
    return server.client.call(path, given);
  };
  const signIn = async (): Promise<string> => {
    const answer = await call('/api/auth/sign-in', {
      body: JSON.stringify(ANN),
      headers: { 'content-type': 'application/json', 'x-millrace-console': '1' },
      credentials: 'none',
    });
    expect(answer.status).toBe(200);
    return /^[^;]+/.exec(String(answer.headers['set-cookie']))?.[0] ?? '';
  };
  const session = async (cookie: string): Promise<number> =>
    (await call('/api/auth/session', { headers: { cookie }, credentials: 'none' })).status;
  /** Collects the answers that people get, and whom their credentials let in. */
  const told = async (token: string, passcode: string): Promise<unknown> => {
    const paths = ['users', 'invitations', 'tokens', 'passcode'];
    const answers = await Promise.all(paths.map((path) => call(`/api/default/${path}`)));
    const logins = [
      { credentials: ANN },
      { credentials: { ...ANN, password: passcode } },
      { credentials: 'none', headers: { authorization: `Bearer ${token}` } },
    ];
    const lets = await Promise.all(
      logins.map((given) => call('/api/default/streams', given).then(({ status }) => status)),
    );
    return { answers: answers.map(({ status, bytes }) => [status, bytes.toString()]), lets };
  };
  const verify = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(['audit:verify', ...args]);
    expect([code, stderr.replace(/[^]*\r/, '')]).toEqual([0, expect.any(String)]);
    return /head (\w+)/.exec(stdout)?.[1] ?? '';
  };

  beforeAll(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-change-key-'));
  });
  afterAll(async () => {
    await stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it(
    'loses nothing, twice, and leaves nothing that the key of before opens',
    async () => {
      await start();
      expect((await call('/api/default/users', person(ANN))).status).toBe(200);
      await call('/api/default/users', { credentials: { ...ANN, email: 'nobody@example.com' } });
      const made = await call('/api/default/tokens', {
        body: JSON.stringify({ name: 'shipper', role: 'editor' }),
      });
      expect(made.status).toBe(200);
      const token = /mr_[\w-]+/.exec(made.bytes.toString())?.[0] ?? '';
      const passcode = /mrp_[\w-]+/.exec(
        (await call('/api/default/passcode')).bytes.toString(),
      )?.[0];
      const cookie = await signIn();
      expect(await session(cookie)).toBe(200);
      const before = await told(token, passcode ?? '');
      expect(before).toMatchObject({ lets: [200, 200, 200] });
      const running = await run(['change-key']);
      expect([running.code, running.stderr]).toEqual([1, expect.stringMatching(/in use/)]);
      expect(readdirSync(dataDirectory)).not.toContain('secret-key.next');
      await stop();
      const head = await verify();
      const first = secret();

      const changed = await run(['change-key']);
      expect([changed.code, changed.stdout]).toEqual([
        0,
        expect.stringMatching(/^the key is changed; the keys of 2 people/),
      ]);
      const second = secret();
      expect(second).not.toBe(first);
      // A refused key leaves nothing behind that the next change would take.
      const given = join(dataDirectory, '..', `given-key-${process.pid}`);
      for (const [key, why] of [
        [second, /is the one that the server has/],
        [first, /is, or was, the key/],
      ] as const) {
        writeFileSync(given, `${key}\n`, { mode: 0o600 });
        const refused = await run(['change-key', '--new-key-file', given]);
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(why)]);
        expect(readdirSync(dataDirectory)).not.toContain('secret-key.next');
      }
      rmSync(given);
      await expect(start({ MILLRACE_SECRET_KEY: first })).rejects.toThrow(
        /from before it was changed/,
      );
      await start();
      expect(await told(token, passcode ?? '')).toEqual(before);
      // Somebody with the old key could have made this cookie.
      expect(await session(cookie)).toBe(401);
      expect(await session(await signIn())).toBe(200);
      expect((await call('/api/default/users', person(BEN))).status).toBe(200);
      const audit = (await call('/api/default/audit?size=1000')).bytes.toString();
      expect(audit).toMatch(/InstallationKeyChanged/);
      await stop();
      await verify('--head', `default=${head}`);

      // The key changes from one of the environment to one of a file.
      const variables = { MILLRACE_SECRET_KEY: second };
      const file = join(dataDirectory, '..', `new-key-${process.pid}`);
      const third = randomBytes(32).toString('base64');
      rmSync(join(dataDirectory, 'secret-key'));
      expect((await run(['change-key'], variables)).stderr).toMatch(/--new-key-file/);
      writeFileSync(file, `${third}\n`, { mode: 0o600 });
      const again = await run(['change-key', '--new-key-file', file], variables);
      expect([again.code, again.stdout]).toEqual([
        0,
        expect.stringMatching(/; the keys of 3 people/),
      ]);
      // The command is run once more, as after it was broken off.
      expect((await run(['change-key', '--new-key-file', file], variables)).code).toBe(0);
      rmSync(file);
      await start({ MILLRACE_SECRET_KEY: third });
      expect(await call('/api/default/streams', { credentials: BEN })).toMatchObject({
        status: 200,
      });
      expect(await told(token, passcode ?? '')).toMatchObject({ lets: [200, 200, 200] });
      const gone = await call(`/api/default/users/${BEN.email}?erase=true`, { method: 'DELETE' });
      expect(gone.status).toBe(200);
      await stop();
      const verified = await run(['audit:verify', '--head', `default=${head}`], {
        MILLRACE_SECRET_KEY: third,
      });
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/intact/)]);
      for (const old of [first, second])
        for (const { path, bytes } of storedFiles(dataDirectory))
          expect([path, bytes.includes(old)]).toEqual([path, false]);
    },
    TIMEOUT_MS,
  );
});
