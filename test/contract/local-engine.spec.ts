import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineEvent } from '@app/warehouse';
import { LocalEngineProcess } from '../../libs/warehouse/local-engine/index.js';
import { until } from '../server/until.js';

/** A statement that takes minutes unless something ends it. */
const LONG = 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)';
/** Other systems have no fence to try. */
const fenced = process.platform === 'linux' ? it : undefined;

describe('the engine that reads uploads', () => {
  let folder: string;
  let events: EngineEvent[];
  let engine: LocalEngineProcess;
  const openOn = (directory: string): LocalEngineProcess =>
    new LocalEngineProcess({
      directory: join(directory, 'acceptance'),
      acceptors: 2,
      files: [join(directory, 'spool')],
      tell: (event) => events.push(event),
      stays: false,
    });
  /** Lists the ids of all processes that were started, in order. */
  const pids = (): number[] =>
    events.flatMap((event) => (event.type === 'started' ? [event.pid] : []));
  const started = async (count: number): Promise<number> => {
    await until(() => Promise.resolve(pids().length >= count));
    return pids()[count - 1] ?? 0;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-local-engine-'));
    events = [];
    engine = openOn(folder);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is no part of this process, and is there only when it is needed', async () => {
    expect(pids()).toEqual([]);
    expect(await engine.run('SELECT {n:UInt8} + 1', { n: '41' })).toBe('42\n');
    expect(pids()).toHaveLength(1);
    expect(pids()).not.toContain(process.pid);
    await engine.close();
    expect(() => process.kill(pids()[0] ?? 0, 0)).toThrow('ESRCH');
  });

  it('answers statements at once, and each its own', async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((each) => engine.run(`SELECT ${each}`)));
    expect(answers).toEqual(numbers.map((each) => `${each}\n`));
    const long = 'x"\\\n\u{1F600}'.repeat(100_000);
    expect(await engine.run('SELECT {text:String}', { text: 'a"\\b' })).toBe('a"\\b\n');
    expect((await engine.run(`SELECT length('${'y'.repeat(long.length)}')`)).trim()).toBe(
      String(long.length),
    );
  });

  it('tells what the engine says of a statement that fails, by its number', async () => {
    await expect(engine.run('SELECT nothing')).rejects.toMatchObject({
      name: 'WarehouseError',
      code: 47,
      type: 'UNKNOWN_IDENTIFIER',
    });
  });

  it('writes rows into files of about a size, all of them once and in order', async () => {
    await engine.run('SELECT 1');
    const directory = join(folder, 'spool');
    const files = { directory, index: 3, rows: 0, bytes: 0, rowsMax: 40_000, bytesMax: 2 ** 30 };
    const told = [];
    for await (const file of engine.spool('SELECT number FROM numbers(100000)', files))
      told.push(file);
    expect(told.map(({ index, isFull }) => [index, isFull])).toEqual([
      [3, true],
      [4, true],
      [5, false],
    ]);
    expect(told.reduce((sum, { rows }) => sum + rows, 0)).toBe(100_000);
    for (const { index, rows, bytes } of told) {
      const file = join(directory, `${index}.native`);
      expect(readFileSync(file)).toHaveLength(bytes);
      expect(await engine.run(`SELECT count() FROM file('${file}', Native)`)).toBe(`${rows}\n`);
    }
    const all = `file('${join(directory, '{3..5}.native')}', Native)`;
    expect(await engine.run(`SELECT count(), uniqExact(number), max(number) FROM ${all}`)).toBe(
      '100000\t100000\t99999\n',
    );
  });

  fenced?.(
    'opens no file but those handed to it, connects to nothing, and has no secret of ours',
    async () => {
      process.env['MILLRACE_TEST_SECRET'] = 'Not-For-Engines-1';
      const outside = join(folder, 'secret-key');
      writeFileSync(outside, 'Not-For-Engines-2');
      try {
        const answers: string[] = [];
        const ask = async (sql: string): Promise<void> => {
          answers.push(await engine.run(sql).catch((error: unknown) => String(error)));
        };
        for (const file of [outside, '/etc/passwd', `/proc/${process.pid}/environ`]) {
          await ask(`SELECT * FROM file('${file}', LineAsString)`);
          await ask(`SELECT file('${file}')`);
        }
        await ask("SELECT file('/proc/self/environ')");
        await ask("SELECT * FROM url('http://127.0.0.1:9/', LineAsString)");
        await ask(`INSERT INTO FUNCTION file('${join(folder, 'made')}', LineAsString) SELECT 'x'`);
        const all = answers.join('\n');
        expect(all).not.toMatch(/Not-For-Engines|root:x/);
        expect(all.match(/Permission denied|ACCESS_DENIED|Not enough privileges/g)?.length).toBeGreaterThanOrEqual(7); // prettier-ignore
        expect(events[0]).toMatchObject({ walls: { files: true, tcp: true } });
      } finally {
        delete process.env['MILLRACE_TEST_SECRET'];
      }
    },
  );

  it('asks a statement again whose process was lost, where that can do no harm', async () => {
    const [busy, file] = [engine.run('SELECT sleepEachRow(0.1), number FROM numbers(20)'), join(folder, 'spool', 'x')]; // prettier-ignore
    const lost = await started(1);
    const written = engine.run(
      `INSERT INTO FUNCTION file('${file}', TSV) SELECT sum(cityHash64(number)) FROM numbers(300000000)`,
    );
    process.kill(lost, 'SIGKILL');
    expect((await busy).split('\n')).toHaveLength(21);
    await written;
    expect(pids().length).toBeGreaterThanOrEqual(3);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'ended')).toHaveLength(1);
    expect(await engine.run('SELECT 7')).toBe('7\n');
  });

  it('lets fail only the statement that ends its process each time', async () => {
    const deadly = engine.run(LONG);
    deadly.catch(() => undefined);
    const innocent = engine.run('SELECT sleepEachRow(0.5) FROM numbers(2)');
    process.kill(await started(1), 'SIGKILL');
    // Each of them now has a process by itself. The one that crashes the engine was first.
    process.kill(await started(2), 'SIGKILL');
    await expect(deadly).rejects.toMatchObject({ type: 'ENGINE_ENDED' });
    expect(await innocent).toBe('0\n0\n');
  });

  it('gives no row twice when its process is lost between files', async () => {
    const directory = join(folder, 'spool');
    const files = { directory, index: 0, rows: 0, bytes: 0, rowsMax: 1, bytesMax: 2 ** 30 };
    await engine.run('SELECT 1');
    const spooling = engine.spool('SELECT number FROM numbers(1000000)', files);
    const iterator = spooling[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    process.kill(pids()[0] ?? 0, 'SIGKILL');
    await until(() => Promise.resolve(events.some(({ type }) => type === 'ended')));
    await expect(iterator.next()).rejects.toMatchObject({ statusCode: 503 });
  });

  it('passes on every character, and more than a pipe holds', async () => {
    await engine.run('SELECT 1');
    const text = 'a\u2028b\u2029c\u0085d\ne\rf'.repeat(50_000);
    expect(await engine.run('SELECT {text:String}', { text })).toBe(`${text}\n`);
    await expect(engine.run('SELECT `no\u2028column`')).rejects.toMatchObject({ code: 47 });
    expect(pids()).toHaveLength(1);
  });

  it('outlives a process that is killed in the middle of an answer', async () => {
    await engine.run('SELECT 1');
    const answer = engine.run("SELECT repeat('x', 999999) FROM numbers(20)");
    await new Promise((resolve) => setImmediate(resolve));
    // Meanwhile nobody reads its answers.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
    process.kill(pids()[0] ?? 0, 'SIGKILL');
    expect(await answer).toHaveLength(20_000_000);
  });

  it('fails the statement where no process can be started, and nothing else', async () => {
    const { execPath } = process;
    process.execPath = join(folder, 'no-node');
    try {
      await expect(engine.run('SELECT 1')).rejects.toThrow('ENOENT');
    } finally {
      process.execPath = execPath;
    }
    expect(await engine.run('SELECT 2')).toBe('2\n');
  });

  it('answers between the files of a table that is read in a process by itself', async () => {
    const directory = join(folder, 'spool');
    const files = { directory, index: 0, rows: 0, bytes: 0, rowsMax: 1, bytesMax: 2 ** 30 };
    await engine.run('SELECT 1');
    // The first file takes long enough for the process to be lost before it.
    const slow = 'SELECT number, sleepEachRow(1) FROM numbers(2) SETTINGS max_block_size = 1';
    const iterator = engine.spool(slow, files)[Symbol.asyncIterator]();
    const first = iterator.next();
    const between = engine.run('SELECT sleep(1)');
    between.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.kill(pids()[0] ?? 0, 'SIGKILL');
    expect((await first).value).toMatchObject({ index: 0, rows: 1 });
    expect(await between).toBe('0\n');
    expect((await iterator.next()).value).toMatchObject({ index: 1, rows: 1 });
    expect((await iterator.next()).done).toBe(true);
  });

  it('leaves no process when it is closed, whatever is at work', async () => {
    const work = [LONG, LONG, LONG].map((sql) => engine.run(sql));
    const ends = Promise.allSettled(work);
    process.kill(await started(1), 'SIGKILL');
    await started(2);
    await engine.close();
    for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const count = pids().length;
    for (const end of await ends) expect(end.status).toBe('rejected');
    expect(pids()).toHaveLength(count);
  });

  it('waits for a process that is just leaving its directory', async () => {
    await engine.run('SELECT 1');
    const next = openOn(folder);
    const answer = next.run('SELECT 2');
    // The directory is taken when the next one opens it for the first time.
    const left = new Promise((resolve) => setTimeout(resolve, 1500)).then(() => engine.close());
    try {
      expect(await answer).toBe('2\n');
    } finally {
      await left;
      await next.close();
    }
  });

  it('says so when another process has its directory', async () => {
    await engine.run('SELECT 1');
    const other = openOn(folder);
    await expect(other.run('SELECT 1')).rejects.toThrow('is in use by another process');
    await other.close();
    expect(await engine.run('SELECT 2')).toBe('2\n');
  });
});
