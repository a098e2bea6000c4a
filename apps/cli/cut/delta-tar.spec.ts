import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { tarOf } from './delta-tar.js';

describe('the tar of a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tar-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const bytes = (): Promise<Buffer> => buffer(Readable.from(tarOf(folder)));

  it('holds its files but the hidden ones, long names too, and is the same each time', async () => {
    const long = `country=${'x'.repeat(150)}`;
    mkdirSync(join(folder, '_delta_log'));
    mkdirSync(join(folder, long));
    writeFileSync(join(folder, '_delta_log', '0.json'), '{"add":{}}');
    writeFileSync(join(folder, '_delta_log', '.0.json.crc'), 'not this');
    writeFileSync(join(folder, long, 'part.parquet'), Buffer.alloc(3_000_000, 7));
    const first = await bytes();
    utimesSync(join(folder, '_delta_log', '0.json'), new Date(0), new Date(0));
    expect((await bytes()).equals(first)).toBe(true);
    const found: [string, number][] = [];
    for await (const entry of Readable.from([first]).pipe(extract()))
      found.push([entry.header.name, (await buffer(entry)).length]);
    expect(found).toEqual([
      ['_delta_log/0.json', 10],
      [`${long}/part.parquet`, 3_000_000],
    ]);
  });
});
