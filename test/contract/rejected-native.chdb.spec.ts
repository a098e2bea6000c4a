import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openWarehouse, type LocalEngine, type Warehouse } from '@app/warehouse';
import { judgeChunk } from '../../libs/acceptance/judge/judge-chunk.js';
import type { JudgedChunk, JudgeJob } from '../../libs/acceptance/judge/chunk/judge-job.js';
import { rounds } from '../rounds.js';
import { LIMITS } from './limits.js';

const JOB = {
  firstLine: 1,
  columns: [],
  exact: [],
  objects: [],
  refusedFields: new Map<string, string>(),
  fieldsMax: 2000,
  acceptedAt: 1_767_225_600_123_456,
  keptFrom: undefined,
  uploadId: 'u'.repeat(32),
  stream: 'n',
};

describe('rejected rows, read back by the real engine', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-rejected-'));
  const [source, accepted] = [join(directory, 'source'), join(directory, 'accepted.zst')];
  const rejected = join(directory, 'rejected.native.zst');
  let engine: LocalEngine;
  let warehouse: Warehouse;

  beforeAll(async () => {
    ({ localEngine: engine, warehouse } = await openWarehouse({
      clickHouse: undefined,
      directory,
      limits: LIMITS,
      readers: 1,
      acceptors: 2,
      files: [directory],
    }));
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const judge = (body: Buffer | string, job: Partial<JudgeJob> = {}): Promise<JudgedChunk> => {
    writeFileSync(source, body);
    return judgeChunk({ ...JOB, source, targets: { accepted, rejected }, ...job });
  };
  const read = async (select: string): Promise<unknown> =>
    JSON.parse(
      await engine.run(
        `SELECT toJSONString(${select}) FROM file('${rejected}', Native) SETTINGS input_format_skip_unknown_fields = 1, output_format_json_quote_64bit_integers = 0`,
      ),
    );
  const ROWS =
    'arraySort(groupArray((toString(_timestamp), stream, upload_id, toString(line), reason, hex(record))))';

  it('are the lines that were refused, whatever bytes they have', async () => {
    const text = fc.uint8Array({ minLength: 1, maxLength: 400 });
    const stream = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((name) => !/\p{Cs}/u.test(name)); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), stream, async (all, name) => {
        // Two brackets make no record, and the bytes within them make no second line.
        const lines = all.map((bytes) => [...bytes].map((byte) => (byte === 0x0a ? 0 : byte)));
        const body = Buffer.concat(lines.map((line) => Buffer.from([0x5b, ...line, 0x5d, 0x0a])));
        const { rejected: told } = await judge(body, { stream: name });
        const rows = lines.map((line, index) => [
          '2026-01-01 00:00:00.123456',
          name,
          JOB.uploadId,
          `${index + 1}`,
          told?.reasons[told.reasonOf[index] ?? -1],
          Buffer.from([0x5b, ...line, 0x5d])
            .toString('hex')
            .toUpperCase(),
        ]);
        const found = (await read(ROWS)) as string[][];
        expect(found.sort((a, b) => Number(a[3]) - Number(b[3]))).toEqual(rows);
      }),
      { numRuns: rounds(8, 300) },
    );
  }, 120_000);

  it.each([1, 126, 127, 128, 16_383, 16_384, 300_000])('have a text of %i bytes', async (size) => {
    await judge(`${'x'.repeat(size)}\n`, { uploadId: 'é'.repeat(size), firstLine: 2 ** 40 });
    expect(
      await read(
        `tuple(count(), any(record = repeat('x', ${size})), any(upload_id = repeat('é', ${size})), toString(any(line)))`,
      ),
    ).toEqual([1, 1, 1, `${2 ** 40}`]);
  });

  it('have numbers of 53 bits, times before 1970, and empty texts', async () => {
    const job = { firstLine: Number.MAX_SAFE_INTEGER, acceptedAt: -1, stream: '', uploadId: '' };
    await judge('{"a":1}', job);
    expect(await read(ROWS)).toEqual([
      [
        '1969-12-31 23:59:59.999999',
        '',
        '',
        '9007199254740991',
        'field "a": int64 cannot become a column',
        Buffer.from('{"a":1}').toString('hex').toUpperCase(),
      ],
    ]);
  });

  it('are many, with as many reasons', async () => {
    const lines = Array.from({ length: 150_000 }, (_, index) => `{"n${index % 1000}":${index}}`);
    const { rejected: told } = await judge(lines.join('\n'));
    expect([told?.lines.length, told?.reasons.length]).toEqual([150_000, 1000]);
    expect(
      await read(
        `tuple(count(), uniqExact(line), min(line), max(line), uniqExact(reason), countIf(record = concat('{"n', toString((line - 1) % 1000), '":', toString(line - 1), '}')), countIf(reason = concat('field "n', toString((line - 1) % 1000), '": int64 cannot become a column')))`,
      ),
    ).toEqual([150_000, 150_000, 1, 150_000, 1000, 150_000, 150_000]);
  });

  it('replace those of an earlier try, and leave no file where there are none', async () => {
    await judge('x\ny\n');
    const { length } = readFileSync(rejected);
    await judge('x\ny\n');
    expect(readFileSync(rejected)).toHaveLength(length);
    rmSync(rejected);
    expect((await judge('{}\n')).rejected).toBeUndefined();
    expect(() => readFileSync(rejected)).toThrow('ENOENT');
  });
});
