import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedBatch } from './group-batches.js';
import { SpilledBatches } from './spilled-batches.js';

describe('batches that came as bytes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-spilled-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  let offset = 0n;
  const received = (content: string, rest: Partial<ReceivedBatch> = {}): ReceivedBatch => ({
    table: { database: 'o_1', table: 'events' },
    streamId: '01S',
    columns: ['_timestamp'],
    types: [],
    ending: '.ndjson',
    rows: 1,
    recordBytes: content.length,
    record: {
      key: 'k',
      headers: {},
      payload: { bytes: Buffer.from(content) },
      position: { partition: 3, offset: (offset += 1n) },
    },
    ...rest,
  });

  it('share a file where they are lines of one format with times told in the same way', async () => {
    const all = [
      received('a\n', { rows: 2, acceptedAt: 7 }),
      received('b\n', { times: 'by magnitude' }),
      received('c\n'),
      received('d', { ending: '.ndjson.zst' }),
      received('e', { ending: '.ndjson.zst' }),
      received('f\n', { times: 'by magnitude' }),
      received('g', { ending: '.compact.ndjson.zst' }),
      received('h', { ending: '.native.zst' }),
      received('i', { ending: '.native.zst' }),
      received('j', { ending: '.compact.ndjson.zst' }),
      received('k', { ending: '.ndjson.zst', times: 'by magnitude' }),
    ];
    const { batches } = await SpilledBatches.write(directory, all);
    expect(batches.map(({ file }) => readFileSync(file, 'utf8'))).toEqual([
      'a\nc\n',
      'b\nf\n',
      'a\nc\n',
      'de',
      'de',
      'b\nf\n',
      'gj',
      'h',
      'i',
      'gj',
      'k',
    ]);
    expect(batches.map(({ position }) => position)).toEqual(all.map(({ record }) => record.position)); // prettier-ignore
    expect(batches[0]).toMatchObject({ rows: 2, acceptedAt: 7 });
    expect(batches.map(({ times }) => times)).toEqual(all.map(({ times }) => times));
  });

  it('leave nothing behind, and the queue its own file', async () => {
    const own = join(directory, 'own.ndjson.zst');
    const batch = received('');
    const record = { ...batch.record, payload: { file: own } };
    for (const file of readdirSync(directory)) rmSync(join(directory, file));
    const spilled = await SpilledBatches.write(directory, [received('a\n'), { ...batch, record }]);
    expect(spilled.batches[1]?.file).toBe(own);
    await spilled.remove();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('leave nothing behind when one cannot be written', async () => {
    const [good, bad] = [received('a\n'), received('b', { ending: '.ndjson.zst' })];
    const { partition, offset } = bad.record.position;
    const inTheWay = `${partition}-${offset}.ndjson.zst`;
    mkdirSync(join(directory, inTheWay));
    await expect(SpilledBatches.write(directory, [good, bad])).rejects.toThrow('EISDIR');
    expect(readdirSync(directory)).toEqual([inTheWay]);
  });
});
