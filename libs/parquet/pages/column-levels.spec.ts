import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { columnLevels } from './column-levels.js';
import { NullsAllowance } from '../null-objects.js';

/** A number as Thrift's compact form has it. */
function zigzag(value: number): readonly number[] {
  const bytes: number[] = [];
  let left = value * 2;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return [...bytes, left];
}

/** The header of a page of values that says it has so many, and no bytes. */
const headerOf = (entries: number): Buffer =>
  Buffer.from([0x15, 0, 0x15, 0, 0x15, 0, 0x2c, 0x15, ...zigzag(entries), 0, 0]);

describe('levels of a column of Parquet', () => {
  it.each([
    [16 * 1024 * 1024 + 1, 'UPLOAD_TOO_LARGE'],
    [1000, undefined],
  ])('of a page that says it has %d values', async (entries, kind) => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-levels-'));
    const handle = await open(join(directory, 'page'), 'w+');
    try {
      const bytes = headerOf(entries);
      await handle.write(bytes);
      const chunk = { codec: 0, from: 0, to: bytes.length, entries, unpackedBytes: 0 };
      const read = async (): Promise<void> => {
        for await (const page of columnLevels(handle, chunk, { definition: 1, repetition: 0 }))
          expect([...page]).toEqual([]);
      };
      await expect(read()).rejects.toMatchObject(
        kind === undefined
          ? { message: 'its levels are written as no writer does today' }
          : { kind },
      );
    } finally {
      await handle.close();
      rmSync(directory, { recursive: true });
    }
  });

  it('of all objects of a file take so much disk and no more', () => {
    const allowance = new NullsAllowance();
    for (let word = 0; word < 8 * 1024 * 1024; word += 1) allowance.take();
    expect(() => allowance.take()).toThrow('too many rows');
  });
});
