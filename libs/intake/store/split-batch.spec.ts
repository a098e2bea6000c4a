import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compress, decompress } from '@cloudpss/zstd/napi';
import type { LocalEngine } from '@app/warehouse';
import { seededRandom } from '../../../test/fixtures/seeded-random.js';
import type { ColumnarFile } from '@app/acceptance';
import { splitBatch } from './split-batch.js';

/** The lines are cut without the engine. */
const ENGINE = {} as LocalEngine;

describe('lines of a batch that the queue takes in pieces only', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-split-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 9 }));

  const random = seededRandom(7);
  const noise = (length: number): string =>
    Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join('');
  const linesOf = (sizes: readonly number[]): string =>
    sizes.map((size, index) => `{"_timestamp":${index},"é":"${noise(size)}"}\n`).join('');
  function batchOf(name: string, text: string): ColumnarFile {
    const file = join(directory, name);
    writeFileSync(file, name.endsWith('.zst') ? compress(Buffer.from(text), 1) : text);
    const rows = text.split('\n').length - 1;
    return { file, rows, columns: ['_timestamp', 'é'], types: ['Nullable(String)'] };
  }
  const textOf = ({ file }: ColumnarFile): string =>
    (file.endsWith('.zst')
      ? Buffer.from(decompress(readFileSync(file)))
      : readFileSync(file)
    ).toString();

  it.each(['plain.ndjson', 'packed.ndjson.zst'])(
    'are all there, in their order: %s',
    async (name) => {
      // One row has more bytes than all others of its piece.
      const text = linesOf(Array.from({ length: 3000 }, (_, n) => (n === 1234 ? 60_000 : n % 200)));
      const batch = batchOf(name, text);
      const pieces = await splitBatch(ENGINE, batch, 50_000);
      expect(pieces.length).toBeGreaterThan(4);
      expect(pieces.map(textOf).join('')).toBe(text);
      for (const piece of pieces) {
        expect(statSync(piece.file).size).toBeLessThanOrEqual(50_000);
        expect(piece.file).toMatch(/\.ndjson\.zst$/);
        expect(textOf(piece).split('\n').length - 1).toBe(piece.rows);
        expect([piece.columns, piece.types]).toEqual([batch.columns, batch.types]);
      }
      expect(new Set(pieces.map(({ file }) => file)).size).toBe(pieces.length);
    },
  );

  it('stay as they are when there is room, and whole when they have it compressed', async () => {
    const batch = batchOf('same.ndjson', '{"_timestamp":1,"é":"same"}\n'.repeat(10_000));
    expect(await splitBatch(ENGINE, batch, Number.POSITIVE_INFINITY)).toEqual([batch]);
    expect(await splitBatch(ENGINE, batch, 280_000 + 10_000)).toEqual([batch]);
    const [whole, ...more] = await splitBatch(ENGINE, batch, 100_000);
    expect(more).toEqual([]);
    expect(whole).toEqual({ ...batch, file: `${batch.file}.zst` });
    expect(whole && textOf(whole)).toBe(textOf(batch));
  });

  it('are refused when a single one has too much', async () => {
    const batch = batchOf('long.ndjson', linesOf([10, 200_000, 10]));
    await expect(splitBatch(ENGINE, batch, 50_000)).rejects.toMatchObject({
      kind: 'UPLOAD_TOO_LARGE',
    });
  });

  it('are refused when the file is not what was said of it', async () => {
    const batch = batchOf('short.ndjson.zst', linesOf([50_000, 50_000, 50_000]));
    await expect(splitBatch(ENGINE, { ...batch, rows: 9 }, 50_000)).rejects.toThrow('too few');
  });
});
