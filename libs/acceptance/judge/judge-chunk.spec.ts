import {
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decompress } from '@cloudpss/zstd/napi';
import { fits } from '@app/streams';
import { judgeChunk } from './judge-chunk.js';
import type { JudgedChunk, JudgeJob } from './chunk/judge-job.js';
import { KIND_NAMES } from './values/kinds.js';

const columns = ['Nullable(Int64)', 'JSON', 'Array(JSON)', 'Array(Nullable(Int64))'].map(
  (type) => ({
    name: type,
    type,
    fits: KIND_NAMES.reduce((mask, kind, at) => mask | (fits(type, kind) ? 1 << at : 0), 0),
  }),
);
const [, JSON_COLUMN = '', OBJECTS = '', INTS = ''] = columns.map(({ name }) => name);

describe('judgeChunk', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-judge-'));
  const [source, accepted, plain, rejected] = [
    'source',
    'accepted.ndjson.zst',
    'accepted.ndjson',
    'rejected',
  ].map((name) => join(directory, name)) as [string, string, string, string];
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  const judge = (body: string | Buffer, job: Partial<JudgeJob> = {}): Promise<JudgedChunk> => {
    writeFileSync(source, body);
    for (const file of [accepted, plain, rejected]) rmSync(file, { force: true });
    return judgeChunk({
      source,
      firstLine: 1,
      columns,
      exact: [],
      objects: [],
      refusedFields: new Map(),
      fieldsMax: 2000,
      acceptedAt: 0,
      keptFrom: undefined,
      targets: { accepted, rejected },
      uploadId: 'u',
      stream: 's',
      ...job,
    });
  };
  const written = (): string => decompress(readFileSync(accepted)).toString();

  it.each(['', '\n', '\r\n', ' \n\n\t'])(
    'finds nothing in %j, and writes nothing',
    async (body) => {
      expect(await judge(body)).toMatchObject({ accepted: 0, isNew: false, rejected: undefined });
      expect([existsSync(accepted), existsSync(rejected)]).toEqual([false, false]);
    },
  );

  it.each(['{"a":null}', '{"a":null}\n', '\n {"a":null}'])(
    'takes the last line of %j',
    async (body) => {
      expect((await judge(body)).accepted).toBe(1);
      expect(written().trim()).toBe('{"a":null}');
    },
  );

  describe('without compression', () => {
    const line = `{"a":"${'x'.repeat(100)}"}`;
    const whole = `${line}\n`.repeat(1000);
    const plainly = async (body: string, name = 'a'): Promise<string> => {
      const columns = [{ name, type: 'Nullable(String)', fits: -1 }];
      await judge(body, { columns, targets: { accepted: plain, rejected } });
      return readFileSync(plain, 'utf8');
    };

    it.each([
      ['with a line break at the end', whole],
      ['without one', whole.slice(0, -1)],
    ])('takes the chunk itself, %s', async (_, body) => {
      expect(await plainly(body)).toBe(body);
      expect(statSync(plain).ino).toBe(statSync(source).ino);
    });

    it.each([
      ['a line is refused', `${whole}x\n`, whole],
      ['a line is blank', `${whole}\n${line}\n`, `${whole}${line}\n`],
      ['the first line is refused', `x\n${whole}`, whole],
      ['the last line is refused', `${whole}x`, whole],
      ['there are few lines', `${line}\n`, `${line}\n`],
      [
        'a time is written otherwise',
        `${whole}{"_timestamp":"1970-01-02T00:00:00Z"}\n`,
        `${whole}{"_timestamp":86400000000}\n`,
      ],
    ])('writes lines of their own where %s', async (_, body, lines) => {
      expect(await plainly(body)).toBe(lines);
      expect(statSync(plain).ino).not.toBe(statSync(source).ino);
      expect(readFileSync(source, 'utf8')).toBe(body);
    });

    it('leaves the chunk as it is where it is judged again, with another verdict', async () => {
      const body = `${whole}${whole.replaceAll('"a"', '"b"')}`;
      expect(await plainly(body)).toBe(whole);
      linkSync(source, `${plain}.again`);
      const targets = { accepted: `${plain}.again`, rejected };
      const job = { columns: [{ name: 'a', type: 'Nullable(String)', fits: -1 }], targets };
      expect(await judge(body, job)).toMatchObject({ accepted: 1000 });
      expect(readFileSync(source, 'utf8')).toBe(body);
    });
  });

  it('writes nothing while something is new, or nobody wants it', async () => {
    expect(await judge('{"a":1}\nx', { refusedFields: undefined })).toMatchObject({
      isNew: true,
      rejected: undefined,
    });
    expect(await judge('{}\nx', { targets: undefined })).toMatchObject({ accepted: 1 });
    expect([existsSync(accepted), existsSync(rejected)]).toEqual([false, false]);
  });

  it('tells each reason once, and the beginning of the first record', async () => {
    const long = `x${'é'.repeat(100_000)}`;
    const { rejected: told } = await judge(`{}\n${long}\n[1]\n{"a":1}\ny\n{"a":2}`);
    expect(told?.firstText.slice(0, 1000)).toBe(long.slice(0, 1000));
    expect(told?.firstText.length).toBeLessThan(40_000);
    expect([told?.lines, told?.reasonOf].map((each) => Array.from(each ?? []))).toEqual([
      [2, 3, 4, 5, 6],
      [0, 1, 2, 0, 2],
    ]);
    expect(told?.reasons).toHaveLength(3);
    expect(told?.bytes).toBe(Buffer.byteLength(`${long}[1]{"a":1}y{"a":2}`));
  });

  const SIZE = 2 ** 22;
  const many = (count: number, each: (index: number) => string, between = ','): string =>
    Array.from({ length: count }, (_, index) => each(index)).join(between);
  // Each takes milliseconds; by what grows with the square of its size it would take minutes.
  it.each<[string, () => string]>([
    ['a text', () => `{"a":"${'x'.repeat(SIZE)}"}`],
    ['backslashes', () => `{"a":"${'\\'.repeat(SIZE)}"}`],
    ['open arrays', () => '['.repeat(SIZE)],
    ['open objects', () => '{"a":'.repeat(SIZE / 5)],
    ['open objects within arrays', () => `{"a":[${'{"a":[],'.repeat(SIZE / 9)}`],
    ['blanks', () => `${' '.repeat(SIZE)}{`],
    ['digits', () => `{"a":${'9'.repeat(SIZE)}}`],
    ['zeros in a fraction', () => `{"a":1.${'0'.repeat(SIZE)}1}`],
    ['zeros and an exponent', () => `{"a":1${'0'.repeat(SIZE)}1e-${SIZE}}`],
    ['zeros in the time', () => `{"_timestamp":1.${'0'.repeat(SIZE)}1}`],
    ['a time of many digits', () => `{"_timestamp":"${'1'.repeat(SIZE)}"}`],
    ['names within', () => `{"${JSON_COLUMN}":{${many(100_000, (index) => `"n${index}":1`)}}}`],
    ['long names within', () => `{"${JSON_COLUMN}":{${many(12, (index) => `"${index}${'x'.repeat(SIZE / 12)}":1`)}}}`], // prettier-ignore
    ['objects', () => `{"${OBJECTS}":[${many(100_000, (index) => `{"n${index}":1}`)}]}`],
    ['integers to rewrite', () => `{"${INTS}":[${many(100_000, () => '1.0')}]}`],
    ['names', () => `{${many(100_000, (index) => `"n${index}":1`)}}`],
    ['bad lines', () => many(100_000, () => 'x', '\n')],
    ['reasons', () => many(20_000, (index) => `{"n${index}":1}`, '\n')],
    ['new fields', () => many(20, (line) => `{${many(2000, (index) => `"${line}.${index}":1`)}}`, '\n')], // prettier-ignore
    ['lines behind one that is no UTF-8', () => `\u00ff\n${many(100_000, () => '{}', '\n')}`],
  ])('is quick with many %s', async (_, body) => {
    const bytes = Buffer.from(body(), 'latin1');
    const before = process.cpuUsage();
    await judge(bytes);
    // Processor time: other work on the machine takes none of it.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(5000);
  });
});
