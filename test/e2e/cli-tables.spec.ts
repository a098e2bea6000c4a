import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { filesOf, tar, tarGz, zip } from '../server/archive.js';
import { makeParquet } from '../server/make-parquet.js';
import { PROGRAM, runMillrace, startMillrace, type Ended } from '../server/run-millrace.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

const DELTA = join(import.meta.dirname, '../fixtures/delta/timed');
const ROWS = 100_000;

describe('millrace upload, of tables', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  const home = join(folder, 'home');
  const numbers = makeParquet(
    `SELECT number AS n, concat('text of ', toString(number)) AS t FROM numbers(${ROWS})`,
  );
  let server: Server;
  let made = 0;
  const fresh = (): string => `table${(made += 1)}`;
  const file = (name: string, content: Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const upload = (
    path: string,
    stream: string,
    { args = [], ...options }: { args?: readonly string[]; input?: Buffer } = {},
  ): Promise<Ended> =>
    runMillrace(['upload', path, '--stream', stream, '--url', server.url, '--wait', ...args], {
      home,
      ...options,
    });
  const unfinished = (): string[] => readdirSync(join(home, '.millrace', 'uploads'));
  const sum = async (stream: string): Promise<unknown> => {
    const [row] = await server.client.sql(
      `SELECT count() AS all, uniqExact(n) AS different FROM ${stream}`,
    );
    return row;
  };

  beforeAll(async () => {
    mkdirSync(home);
    server = await startServer({ dataDirectory: join(folder, 'data') });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stores a Parquet file, a folder of them, and one of standard input', async () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    for (const name of ['a.parquet', 'b.PARQUET']) writeFileSync(join(many, name), numbers);
    const cases = [
      { path: file('one.parquet', numbers), times: 1 },
      { path: file('packed.parquet.gz', gzipSync(numbers)), times: 1 },
      { path: many, times: 2 },
      { path: '-', times: 1, args: ['--format', 'parquet'], input: numbers },
    ];
    for (const { path, times, ...options } of cases) {
      const stream = fresh();
      const { code, stdout, stderr } = await upload(path, stream, options);
      const stored = (times * ROWS).toLocaleString('en');
      expect([code, stdout, stderr]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^${stream}: ${stored} stored, 0 rejected in `)),
        '',
      ]);
      expect(await sum(stream)).toEqual({ all: times * ROWS, different: ROWS });
    }
    expect(unfinished()).toEqual([]);
  });

  it('stores files and streams of Arrow', async () => {
    const stream = fresh();
    const table = tableFromArrays({ n: Int32Array.of(1, 2, 3) });
    const [whole, parts] = (['file', 'stream'] as const).map((kind) =>
      Buffer.from(tableToIPC(table, kind)),
    );
    const many = join(folder, 'arrow');
    mkdirSync(many);
    for (const name of ['a.arrow', 'b.feather']) writeFileSync(join(many, name), whole ?? '');
    writeFileSync(join(many, 'c.arrows'), parts ?? '');
    const { code, stdout, stderr } = await upload(many, stream);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${stream}: 9 stored, 0 rejected`);
    expect(await sum(stream)).toEqual({ all: 9, different: 3 });
  });

  it('stores a Delta table: its folder, and as each archive the same', async () => {
    const files = filesOf(DELTA);
    const answers: unknown[] = [];
    for (const path of [
      DELTA,
      file('timed.tar', await tar(files)),
      file('timed.tar.gz', await tarGz(files)),
      file('timed.zip', await zip(files)),
    ]) {
      const stream = fresh();
      const { code, stdout, stderr } = await upload(path, stream);
      expect([code, stderr]).toEqual([0, '']);
      const rows = await server.client.sql(
        `SELECT * EXCEPT (_timestamp) FROM ${stream} ORDER BY ALL`,
      );
      expect(stdout).toContain(`${stream}: ${rows.length} stored, 0 rejected`);
      expect(rows.length).toBeGreaterThan(0);
      answers.push(rows);
    }
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it.each<[string, () => string, readonly string[], number, string]>([
    [
      'a Parquet file is broken',
      () => file('broken.parquet', numbers.subarray(0, 1000)),
      [],
      4,
      '400',
    ],
    ['a text is called Parquet', () => file('text.parquet', Buffer.from('n\n1\n')), [], 4, '400'],
    ['a file is empty', () => file('empty.parquet', Buffer.alloc(0)), [], 4, 'empty'],
    ['an archive holds no table', () => file('none.tar', Buffer.alloc(10_240)), [], 4, '400'],
    [
      'a folder is no table',
      () => {
        const path = join(folder, 'no-table');
        mkdirSync(path, { recursive: true });
        writeFileSync(join(path, 'a.parquet'), numbers);
        return path;
      },
      ['--format', 'delta'],
      2,
      'delta',
    ],
  ])('says so when %s', async (_what, path, args, expected, message) => {
    const { code, stderr } = await upload(path(), fresh(), { args });
    expect([code, stderr.toLowerCase()]).toEqual([expected, expect.stringContaining(message)]);
    expect(unfinished()).toEqual([]);
  });

  it('1: rows that do not fit are rejected, the first is told', async () => {
    const stream = fresh();
    await server.client.upload(stream, [{ n: true }]);
    const { code, stdout, stderr } = await upload(file('some.parquet', numbers), stream);
    expect([code, stdout, stderr]).toEqual([
      1,
      expect.stringContaining('0 stored, 100,000 rejected'),
      expect.stringContaining('some.parquet, from byte 0: row 1: field "n"'),
    ]);
  });

  describe('killed when all was stored, and before it was told so', () => {
    let relay: HttpServer;
    let holding: boolean;
    let answered: () => void;
    beforeEach(async () => {
      relay = createServer((from, to) => {
        const { method = '', url = '', headers } = from;
        const onwards = request(new URL(url, server.url), { method, headers }, (answer) => {
          if (holding) answered();
          else answer.pipe(to.writeHead(answer.statusCode ?? 0, answer.headers));
        });
        onwards.on('error', () => to.destroy());
        from.pipe(onwards);
      });
      relay.listen(0, '127.0.0.1');
      await once(relay, 'listening');
    });
    afterEach(() => void relay.close());

    it.each<[string, () => string, string]>([
      ['a Parquet file', () => file('again.parquet', numbers), '100,000 stored'],
      ['a Delta table', () => DELTA, 'stored'],
    ])('goes on and stores nothing twice: %s', async (_what, path, told) => {
      const stream = fresh();
      const { port } = relay.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const args = ['upload', path(), '--stream', stream, '--url', url, '--wait'];
      holding = true;
      const held = new Promise<void>((resolve) => (answered = resolve));
      const running = startMillrace(args, { home });
      await held;
      running.process.kill('SIGKILL');
      expect((await running.ended).code).toBe(null);
      expect(unfinished()).toHaveLength(1);
      const stored = await server.client.count(stream);
      expect(stored).toBeGreaterThan(0);
      holding = false;
      const { code, stdout, stderr } = await runMillrace(args, { home });
      expect([code, stdout, stderr]).toEqual([
        0,
        expect.stringContaining(told),
        expect.stringContaining('going on with an upload that broke off'),
      ]);
      expect(await server.client.count(stream)).toBe(stored);
      expect(unfinished()).toEqual([]);
    });
  });

  it('shows on a terminal how far it has come, and nothing of it elsewhere', async () => {
    const command = [process.execPath, PROGRAM, 'upload', file('bar.parquet', numbers)];
    command.push('--stream', fresh(), '--url', server.url);
    const inTerminal =
      process.platform === 'darwin'
        ? ['-q', '/dev/null', ...command]
        : ['-qec', command.map((each) => `'${each}'`).join(' '), '/dev/null'];
    const child = spawn('script', inTerminal, {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TERM: 'xterm',
        MILLRACE_USER: ROOT.email,
        MILLRACE_PASSWORD: ROOT.password,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [shown, [code]] = await Promise.all([
      text(child.stdout),
      once(child, 'exit') as Promise<[number]>,
    ]);
    expect(code).toBe(0);
    const all = (readFileSync(join(folder, 'bar.parquet')).length / 1e6).toFixed(1);
    expect(shown).toContain(`0% | 0.0 of ${all} MB | 0 stored, 0 rejected`);
    expect(shown).toContain(`100% | ${all} of ${all} MB | 100,000 stored, 0 rejected`);
    expect(shown).toContain('100,000 stored, 0 rejected in ');
  });
});
