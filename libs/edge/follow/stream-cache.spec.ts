import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamCache, type Publication } from './stream-cache.js';

describe('the cache of a stream', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stream-cache-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const reaches = new Map([[7, { last: 3, rows: 2 }]]);
  const publication = (cache: StreamCache, ...texts: readonly string[]): Publication => ({
    tag: 'W/"1"',
    columns: [{ name: 'a', dataType: 'Int64', nullable: true }],
    reaches,
    files: texts.map((text, index) => {
      const file = cache.draft(index);
      writeFileSync(file, text);
      return file;
    }),
  });

  it('is there again after a restart', async () => {
    const cache = await StreamCache.open('s', folder);
    expect(cache.isFilled).toBe(false);
    await cache.replace(publication(cache, 'x', 'y'));
    await cache.append(publication(cache, 'z'));
    const again = await StreamCache.open('s', folder);
    expect(again.table()).toEqual(cache.table());
    expect({ files: again.files, tag: again.tag, reaches: again.reaches }).toEqual({
      files: 3,
      tag: 'W/"1"',
      reaches,
    });
    expect(again.table()).toMatchObject({ name: 's', uri: join(folder, 'g1', '*.parquet') });
  });

  it('forgets what a crash left, which nothing names', async () => {
    const cache = await StreamCache.open('s', folder);
    await cache.replace(publication(cache, 'x'));
    writeFileSync(join(folder, 'g1', '1.parquet'), 'half published');
    writeFileSync(cache.draft(5), 'half fetched');
    await StreamCache.open('s', folder);
    expect(readdirSync(folder).sort()).toEqual(['g1', 'manifest.json']);
    expect(readdirSync(join(folder, 'g1'))).toEqual(['0.parquet']);
  });

  it('keeps files that queries may read until it is told to clean', async () => {
    const cache = await StreamCache.open('s', folder);
    await cache.replace(publication(cache, 'old'));
    await cache.replace(publication(cache, 'new'));
    expect(readdirSync(folder).sort()).toEqual(['g1', 'g2', 'manifest.json']);
    await cache.clean(new Set([1]));
    expect(readdirSync(folder).sort()).toEqual(['g1', 'g2', 'manifest.json']);
    await cache.clean();
    expect(readdirSync(folder).sort()).toEqual(['g2', 'manifest.json']);
  });

  it('takes back what it could not publish whole', async () => {
    const cache = await StreamCache.open('s', folder);
    await cache.replace(publication(cache, 'x'));
    const { files, ...rest } = publication(cache, 'y');
    const broken = cache.append({ ...rest, files: [...files, join(folder, 'nowhere')] });
    await expect(broken).rejects.toThrow('ENOENT');
    expect(readdirSync(join(folder, 'g1'))).toEqual(['0.parquet']);
    expect(cache.files).toBe(1);
  });

  it('begins anew where its manifest is no manifest', async () => {
    writeFileSync(join(folder, 'manifest.json'), '{"generation":');
    expect((await StreamCache.open('s', folder)).isFilled).toBe(false);
  });
});
