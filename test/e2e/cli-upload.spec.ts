import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { rounds } from '../rounds.js';
import { runMillrace, startMillrace, type Ended } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';

const PART_BYTES = 16 * 1024 * 1024;
/** There are so many that the last of three kills comes before the end on a fast machine, too. */
const MANY = rounds(500_000, 1_000_000);
/**
 * The progress of an upload is asked for with this pause, because asking without a pause would slow
 * it down.
 */
const LOOK_MS = 20;
const MANY_STORED = `${MANY.toLocaleString('en')} stored, 0 rejected`;

describe('millrace upload', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  const home = join(folder, 'home');
  let dataDirectory: string;
  let server: Server;
  let made = 0;
  const fresh = (): string => `cli${(made += 1)}`;
  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const upload = (
    args: readonly string[],
    options: { input?: string | Buffer; variables?: Record<string, string> } = {},
  ): Promise<Ended> =>
    runMillrace(['upload', '--url', server.url, '--wait', ...args], { home, ...options });
  const unfinished = (): string[] => readdirSync(join(home, '.millrace', 'uploads'));

  beforeAll(async () => {
    mkdirSync(home);
    dataDirectory = join(folder, 'data');
    server = await startServer({ dataDirectory });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Records with a number each, about 250 bytes long. */
  function numbered(records: number): string {
    const pad = 'x'.repeat(230);
    let all = '';
    for (let n = 0; n < records; n += 1) all += `{"n":${n},"pad":"${pad}"}\n`;
    return all;
  }
  const numbers = (stream: string) =>
    server.client.sql(
      `SELECT count() AS all, uniqExact(n) AS different, max(n) AS last FROM ${stream}`,
    );

  it('stores a file, says how much, and stores it again when it is told again', async () => {
    const stream = fresh();
    const path = file('few.ndjson', '{"n":1}\n{"n":2}');
    for (const all of [2, 4]) {
      const { code, stdout, stderr } = await upload([path, '--stream', stream]);
      expect([code, stdout, stderr]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^${stream}: 2 stored, 0 rejected in [\\d.]+ s\\n$`)),
        '',
      ]);
      expect(await server.client.count(stream)).toBe(all);
    }
    expect(unfinished()).toEqual([]);
  });

  it('takes each format by its ending, by --format, compressed, and from standard input', async () => {
    const cases: [string | Buffer, string, string?][] = [
      ['[{"n":1},\n {"n":2}]', 'a.json'],
      ['{"n":1}\n{"n":2}\n', 'a.jsonl'],
      ['n,t\n1,x\n2,y\n', 'a.CSV'],
      ['n\tt\n1\tx\n2\ty\n', 'a.tsv'],
      [gzipSync('[{"n":1},{"n":2}]'), 'a.json.gz'],
      [gzipSync('{"n":1}\n{"n":2}\n'), 'a.ndjson.gz'],
      ['{"n":1}\n{"n":2}\n', 'a.log', 'ndjson'],
      ['{"n":1}\n{"n":2}\n', '-', 'ndjson'],
      ['[{"n":1},{"n":2}]', '-', 'json'],
      ['n;t\n1;x\n2;y\n', '-', 'csv'],
    ];
    for (const [content, name, format] of cases) {
      const stream = fresh();
      const { code, stdout, stderr } = await upload(
        [
          name === '-' ? '-' : file(name, content),
          '--stream',
          stream,
          ...(format ? ['--format', format] : []),
        ],
        name === '-' ? { input: content } : {},
      );
      expect([name, code, stdout.replace(/ in .*/s, ''), stderr]).toEqual([
        name,
        0,
        `${stream}: 2 stored, 0 rejected`,
        '',
      ]);
      expect(await server.client.sql(`SELECT sum(n) AS sum FROM ${stream}`)).toEqual([{ sum: 3 }]);
    }
  });

  it('uploads all files of a folder, or none', async () => {
    const stream = fresh();
    const all = join(folder, 'all');
    mkdirSync(join(all, 'below', '.hidden'), { recursive: true });
    writeFileSync(join(all, 'a.ndjson'), '{"n":1}\n');
    writeFileSync(join(all, 'below', 'a.ndjson'), '{"n":1}\n');
    writeFileSync(join(all, 'below', 'b.csv'), 'n\n5\n');
    writeFileSync(join(all, 'below', '.hidden', 'c.txt'), 'not this');
    expect((await upload([all, '--stream', stream])).code).toBe(0);
    expect(await server.client.sql(`SELECT sum(n) AS sum FROM ${stream}`)).toEqual([{ sum: 7 }]);
    writeFileSync(join(all, 'read.me'), 'nor this');
    const { code, stderr } = await upload([all, '--stream', stream]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('read.me: its name does not tell')]);
    rmSync(join(all, 'read.me'));
    writeFileSync(join(all, 'sheet.xlsx'), 'nor this');
    const sheet = await upload([all, '--stream', stream]);
    expect([sheet.code, sheet.stderr]).toEqual([
      2,
      expect.stringContaining('sheet.xlsx: such a file is not taken; save it as CSV or Parquet'),
    ]);
    expect(await server.client.count(stream)).toBe(3);
  });

  it('uploads several files and folders, also of one name and content', async () => {
    const stream = fresh();
    const inner = join(folder, 'several');
    mkdirSync(join(inner, 'deep'), { recursive: true });
    writeFileSync(join(inner, 'same.ndjson'), '{"n":1}\n');
    writeFileSync(join(inner, 'deep', 'a.csv'), 'n\n2\n3\n');
    const same = file('same.ndjson', '{"n":1}\n');
    const paths = [same, join(inner, 'same.ndjson'), join(inner, 'deep')];
    expect(await upload([...paths, '--stream', stream])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${stream}: 4 stored, 0 rejected in`) as string,
    });
    expect(await server.client.sql(`SELECT n FROM ${stream} ORDER BY n`)).toEqual([1, 1, 2, 3].map((n) => ({ n }))); // prettier-ignore
    for (const [more, why] of [
      [[same, join(inner, '..', 'same.ndjson')], 'it is named twice'],
      [[inner, join(inner, 'same.ndjson')], 'it is named twice'],
      [[same, '-'], 'standard input (-) goes alone'],
      [[same, join(folder, 'no.csv')], 'there is no such file'],
    ] as const) {
      const refused = await upload([...more, '--stream', stream]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
    }
    expect([unfinished(), await server.client.count(stream)]).toEqual([[], 4]);
  });

  it('cuts a CSV between its records, each part with the header', async () => {
    const stream = fresh();
    const records = 200_000;
    const pad = 'y'.repeat(150);
    let csv = 'n,"text\nof it"\r\n';
    for (let n = 0; n < records; n += 1) csv += `${n},"line one, ""${n}""\n\n${pad}"\r\n`;
    expect(csv.length).toBeGreaterThan(2 * PART_BYTES);
    const { code, stdout } = await upload([file('quoted.csv', csv), '--stream', stream]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('200,000 stored, 0 rejected')]);
    expect(
      await server.client.sql(
        `SELECT count() AS all, uniqExact(n) AS different, countIf(\`text of it\` = concat('line one, "', toString(n), '"\\n\\n${pad}')) AS right FROM ${stream}`,
      ),
    ).toEqual([{ all: records, different: records, right: records }]);
  });

  it('killed in the middle, again and again: stores each record once when it is run again', async () => {
    const stream = fresh();
    const path = file('many.ndjson', numbered(MANY));
    const args = ['upload', path, '--stream', stream, '--url', server.url];
    let kills = 0;
    let isDone = false;
    for (const parts of [0, 1, 3]) {
      const { process: child, ended } = startMillrace(args, { home });
      let over = false;
      void ended.then(() => (over = true));
      while (!over && (await storedSoFar(stream)) <= parts * 60_000) await sleep(LOOK_MS);
      child.kill('SIGKILL');
      const { code } = await ended;
      // A busy machine may look too late, and kill no process, or one that has only to end. Without
      // its note nothing is sent again, so that all must be stored then.
      isDone = code === 0 || unfinished().length === 0;
      kills += code === null ? 1 : 0;
      if (isDone) break;
      expect(code).toBe(null);
      expect(unfinished()).toHaveLength(1);
    }
    expect(kills).toBeGreaterThan(0);
    if (!isDone) {
      const { code, stdout, stderr } = await upload([path, '--stream', stream]);
      // The command differs, but `--wait` is not a part of the upload's content.
      expect([code, stdout]).toEqual([0, expect.stringContaining(MANY_STORED)]);
      expect(stderr).toContain('going on with an upload that broke off');
    }
    expect(await numbers(stream)).toEqual([{ all: MANY, different: MANY, last: MANY - 1 }]);
    expect(unfinished()).toEqual([]);
  }, 120_000);

  async function storedSoFar(stream: string): Promise<number> {
    const answer = await server.client.call('/api/default/sql', {
      body: `SELECT count() AS n FROM ${stream}`,
    });
    return answer.status === 200 ? (answer.json<[{ n: number }]>()[0].n ?? 0) : -1;
  }

  it('goes on when the server is killed and started again', async () => {
    const stream = fresh();
    const running = startMillrace(
      ['upload', join(folder, 'many.ndjson'), '--stream', stream, '--url', server.url, '--wait'],
      { home },
    );
    while ((await storedSoFar(stream)) <= 0) await sleep(LOOK_MS);
    await server.kill();
    server = await startServer({
      dataDirectory,
      variables: { MILLRACE_HTTP_ADDR: new URL(server.url).host },
    });
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining(MANY_STORED)]);
    expect(stderr).toMatch(/cannot be reached \(E\w+\); trying again in/);
    expect(await numbers(stream)).toEqual([{ all: MANY, different: MANY, last: MANY - 1 }]);
  }, 120_000);

  it.each<[string, string[], number, string]>([
    [
      'some records are rejected',
      ['some.ndjson', '--stream', 'some'],
      1,
      'some.ndjson, from byte 0: line 2: field "n"',
    ],
    [
      'nothing is a record',
      ['none.ndjson', '--stream', 'none'],
      4,
      '400: nothing in the body can be stored',
    ],
    ['the stream has a bad name', ['some.ndjson', '--stream', '_x'], 4, 'stream name "_x"'],
    [
      'the organization is another',
      ['some.ndjson', '--stream', 'x', '--org', 'nobody'],
      4,
      'there is no organization nobody',
    ],
    ['there is no such file', ['no.ndjson', '--stream', 'x'], 2, 'there is no such file'],
    ['the format is unknown', ['some.txt', '--stream', 'x'], 2, 'give --format'],
    [
      'the format is none',
      ['some.ndjson', '--stream', 'x', '--format', 'xml'],
      2,
      'want one of json, ndjson',
    ],
    ['there is no stream', ['some.ndjson'], 2, 'want --stream'],
    ['an option is unknown', ['some.ndjson', '--strem', 'x'], 2, "'--strem'; --help tells"],
    [
      'a password is an argument',
      ['some.ndjson', '--stream', 'x', '--user', 'a@b.c:d'],
      2,
      'MILLRACE_PASSWORD',
    ],
    [
      'a password is in the URL',
      ['some.ndjson', '--stream', 'x', '--url', 'http://a:b@c'],
      2,
      'MILLRACE_PASSWORD',
    ],
    [
      'nobody listens',
      ['some.ndjson', '--stream', 'x', '--url', 'http://127.0.0.1:9'],
      3,
      'cannot be reached',
    ],
  ])('says so when %s', async (_what, [name = '', ...args], expected, message) => {
    file('some.ndjson', '{"n":1}\n{"n":{}}\n{"n":2}\n');
    file('none.ndjson', '{"n":1\n');
    file('some.txt', '');
    const { code, stderr } = await upload([join(folder, name), ...args]);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
    // Nothing of it can be stored, so there is nothing to go on with.
    expect(unfinished()).toEqual([]);
  });

  it('says so when there is no home folder to keep its name in', async () => {
    const path = file('few.ndjson', '{"n":1}\n');
    const args = ['upload', path, '--stream', 'x', '--url', server.url];
    const { code, stderr } = await runMillrace(args, { home: path });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('cannot be written to (ENOTDIR); set HOME'),
    ]);
  });

  it('says so when the password is wrong or missing', async () => {
    const path = file('few.ndjson', '{"n":1}\n');
    const wrong = await upload([path, '--stream', 'x'], { variables: { MILLRACE_PASSWORD: 'no' } });
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('MILLRACE_PASSWORD')]);
    const missing = await runMillrace(['upload', path, '--stream', 'x', '--url', server.url], {
      home,
      variables: { MILLRACE_PASSWORD: '' },
    });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('MILLRACE_PASSWORD'),
    ]);
    expect(unfinished()).toEqual([]);
  });

  describe('at a server that is busy', () => {
    let stub: HttpServer;
    let answers: ((body: Buffer, request: IncomingMessage) => Promise<[number, object, string?]>)[];
    const seen: { key: string; body: string; path: string }[] = [];
    const url = (): string => `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
    const good = [200, { status: [{ name: 's', successful: 1, failed: 0 }] }] as [number, object];

    beforeEach(async () => {
      seen.length = 0;
      stub = createServer((request, response) => {
        void (async () => {
          const body = await buffer(request);
          seen.push({
            key: String(request.headers['idempotency-key']),
            body: gunzipSync(body).toString(),
            path: request.url ?? '',
          });
          const [status, content, retryAfter] = (await answers.shift()?.(body, request)) ?? good;
          if (status === 0) request.socket.destroy();
          response.writeHead(
            status || 200,
            retryAfter === undefined ? {} : { 'retry-after': retryAfter },
          );
          response.end(JSON.stringify(content));
        })();
      });
      stub.listen(0, '127.0.0.1');
      await once(stub, 'listening');
    });
    afterEach(() => stub.close());

    it('tries again with the same key when it is told to, or hears nothing', async () => {
      const busy = (status: number, retryAfter?: string) => async () =>
        [status, { code: status, message: `busy ${status}` }, retryAfter] as [
          number,
          object,
          string?,
        ];
      answers = [busy(503, '1'), busy(429, '0'), busy(0), busy(502)];
      const started = performance.now();
      const { code, stderr } = await upload([
        file('few.ndjson', '{"n":1}\n'),
        '--stream',
        's',
        '--url',
        url(),
      ]);
      expect(code).toBe(0);
      expect(performance.now() - started).toBeGreaterThan(1000);
      expect(seen).toHaveLength(5);
      expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
      expect(seen[0]).toMatchObject({ body: '{"n":1}\n', path: '/api/default/s/_json?wait=true' });
      expect(stderr).toContain('503: busy 503; trying again in 1.0 s');
    });

    it('does not go on with what the server has forgotten', async () => {
      const path = file('old.ndjson', '{"n":1}\n');
      const args = [path, '--stream', fresh(), '--url', url()];
      answers = [async () => [0, {}]];
      const running = startMillrace(['upload', ...args], { home });
      await once(running.process.stderr ?? stub, 'data');
      running.process.kill('SIGINT');
      const { code: interrupted, stderr: told } = await running.ended;
      expect([interrupted, told]).toEqual([130, expect.stringContaining('ECONNRESET')]);
      const [kept = ''] = unfinished();
      const state = join(home, '.millrace', 'uploads', kept);
      const begun = Date.now() - 24 * 60 * 60 * 1000;
      const content = JSON.parse(readFileSync(state, 'utf8')) as object;
      writeFileSync(state, JSON.stringify({ ...content, begun }));
      const { code, stderr } = await upload(args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`remove ${state}`)]);
      rmSync(state);
    });

    it('Ctrl-C: what is on its way arrives, nothing else is begun, and it goes on later', async () => {
      let release = (): void => undefined;
      const arrived = new Promise<void>((resolve) => {
        answers = [
          async () => {
            resolve();
            await new Promise<void>((go) => (release = go));
            return good;
          },
        ];
      });
      const path = file('large.ndjson', numbered(200_000));
      const args = ['upload', path, '--stream', 's', '--url', url()];
      const running = startMillrace(args, { home });
      await arrived;
      running.process.kill('SIGINT');
      await once(running.process.stderr ?? stub, 'data');
      release();
      const { code, stderr } = await running.ended;
      expect([code, seen.length]).toEqual([130, 1]);
      expect(stderr).toMatch(/interrupted: [\d,]+ stored, 0 rejected; run it again to go on/);
      expect((await runMillrace(args, { home })).code).toBe(0);
      expect(seen.length).toBeGreaterThan(3);
      expect(seen[1]?.key).toBe(seen[0]?.key);
      expect(new Set(seen.map(({ key }) => key)).size).toBe(seen.length - 1);
      expect(
        seen
          .slice(1)
          .map(({ body }) => body)
          .sort()
          .join('').length,
      ).toBe(readFileSync(path).length);
      // it ended: the next one is another upload
      seen.length = 0;
      await runMillrace(args, { home });
      expect(seen[0]?.key).not.toBe(undefined);
    });

    it('Ctrl-C: says how many of several files are whole, and goes on also with more of them', async () => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const arrived = new Promise<void>((resolve) => {
        const held = async (): Promise<typeof good> => {
          resolve();
          await released;
          return good;
        };
        answers = [() => Promise.resolve(good), held, held, held, held];
      });
      const small = file('small.ndjson', '{"n":1}\n');
      const args = [small, file('next.ndjson', numbered(400_000)), '--stream', 's', '--url', url()];
      const running = startMillrace(['upload', ...args], { home });
      await arrived;
      running.process.kill('SIGINT');
      await once(running.process.stderr ?? stub, 'data');
      release();
      const { code, stderr } = await running.ended;
      expect([code, stderr]).toEqual([130, expect.stringMatching(/rejected, 1 of 2 files are whole; run it again to go on/)]); // prettier-ignore
      const before = seen.splice(0).map(({ key }) => key);
      const third = file('third.ndjson', '{"n":3}\n');
      expect((await runMillrace(['upload', third, ...args], { home })).code).toBe(0);
      const after = seen.map(({ key }) => key);
      expect(after.filter((key) => before.includes(key)).sort()).toEqual([...before].sort());
    });
  });
});
