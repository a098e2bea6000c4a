import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { structure } from './field-type.js';
import { readParquetFooter } from './parquet-footer.js';

const fixture = (name: string): string =>
  join(import.meta.dirname, '../../../../test/fixtures/parquet', name);

describe("a Parquet file's footer", () => {
  const directory = mkdtempSync(join(tmpdir(), 'footer-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('tells types, rows, and how the engine is to read them', async () => {
    const { fields, rows } = await readParquetFooter(fixture('legacy.parquet'), 'it');
    expect(rows).toBe(1);
    expect(structure(fields)).toBe(
      '`id` Nullable(Int32), `at` Nullable(FixedString(12)), `list` Array(Nullable(Int32)),' +
        ' `structs` Array(Tuple(`a` Nullable(Int32), `b` Nullable(Int32))),' +
        ' `map` Map(String, Nullable(Int32)), `price` Nullable(Decimal(9, 2))',
    );
  });

  it('has columns of values where a writer of old counts their children', async () => {
    const { fields, objects } = await readParquetFooter(fixture('parquet-cpp-1.parquet'), 'it');
    expect(objects).toEqual([]);
    expect(structure(fields)).toBe(
      "`a` Nullable(Int64), `b` Nullable(Float64), `c` Nullable(DateTime64(6, 'UTC'))," +
        " `index` Nullable(String), `__index_level_1__` Nullable(DateTime64(6, 'UTC'))",
    );
  });

  it('ends with our own error on a file that is damaged there', async () => {
    const good = readFileSync(fixture('types.parquet'));
    const length = good.readUInt32LE(good.length - 8);
    const file = join(directory, 'damaged');
    await fc.assert(
      fc.asyncProperty(fc.nat(length - 1), fc.nat(255), async (at, value) => {
        const bytes = Buffer.from(good);
        bytes[good.length - 8 - length + at] = value;
        writeFileSync(file, bytes);
        await readParquetFooter(file, 'it').catch((error: unknown) =>
          expect(error).toBeInstanceOf(MillraceError),
        );
      }),
    );
  });
});
