import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adoptFiles } from './adopt-files.js';

const COUNT = 23;

describe('adoptFiles', () => {
  let directory: string;
  let folder: string;
  let files: string[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-adopt-'));
    folder = join(directory, 'payloads');
    mkdirSync(folder);
    files = Array.from({ length: COUNT }, (_, n) => join(directory, `${n}.x.ndjson.zst`));
    for (const [n, file] of files.entries()) writeFileSync(file, `batch ${n}`);
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('moves them all, each under a new name with its ending, in their order', async () => {
    const names = await adoptFiles(files, folder);
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(
      files.map((_, n) => `batch ${n}`),
    );
    expect(names.every((name) => name.endsWith('.x.ndjson.zst'))).toBe(true);
    expect(readdirSync(directory)).toEqual(['payloads']);
  });

  it.each([0, 7, COUNT - 1])('leaves none there when that at %d is missing', async (missing) => {
    rmSync(files[missing] ?? '');
    await expect(adoptFiles(files, folder)).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('has nothing to do without files', async () => {
    expect(await adoptFiles([], folder)).toEqual([]);
  });
});
