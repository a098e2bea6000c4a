import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { ZipFile } from 'yazl';
import { unpackArchive } from './unpack-archive.js';

type Entry = Partial<Header> & { readonly name: string; readonly content?: string };

async function tar(...entries: Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  return buffer(archive);
}

async function zip(name: string, mode = 0o100644): Promise<Buffer> {
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from('content'), 'a'.repeat(name.length), { mode });
  archive.end();
  const bytes = (await buffer(archive.outputStream)).toString('latin1');
  // This writer refuses names that lead out of the archive; other writers do not.
  return Buffer.from(bytes.replaceAll('a'.repeat(name.length), name), 'latin1');
}

describe('unpacking', () => {
  const directory = mkdtempSync(join(tmpdir(), 'unpack-'));
  const unpack = async (bytes: Buffer, maxBytes = 1000): Promise<[string, string][]> => {
    const archive = join(directory, 'archive');
    writeFileSync(archive, bytes);
    const room = { take: () => Promise.resolve(), give: () => undefined };
    const files = await unpackArchive(archive, { directory, maxBytes, room });
    return [...files].map(([path, { file }]) => [path, readFileSync(file, 'utf8')]);
  };
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('finds the files of tar, tar.gz and zip', async () => {
    const bytes = await tar(
      { name: './t/', type: 'directory' },
      { name: './t/x', content: 'one' },
      { name: `t/${'long'.repeat(50)}`, content: 'two' },
    );
    const files = [
      ['t/x', 'one'],
      [`t/${'long'.repeat(50)}`, 'two'],
    ];
    expect(await unpack(bytes)).toEqual(files);
    expect(await unpack(gzipSync(bytes))).toEqual(files);
    expect(await unpack(await zip('t/x'))).toEqual([['t/x', 'content']]);
  });

  it.each<[string, () => Promise<Buffer>, RegExp]>([
    ['a path that goes up', () => tar({ name: '../x' }), /leads out of it/],
    ['a path that goes up within', () => tar({ name: 'a/../../x' }), /leads out of it/],
    ['an absolute path', () => tar({ name: '/x' }), /leads out of it/],
    ['a path of Windows', () => tar({ name: 'C:\\x' }), /leads out of it/],
    [
      'a symbolic link',
      () => tar({ name: 'x', type: 'symlink', linkname: '/etc' }),
      /is a symlink/,
    ],
    ['a hard link', () => tar({ name: 'x', type: 'link', linkname: 'y' }), /is a link/],
    ['a pipe', () => tar({ name: 'x', type: 'fifo' }), /is a fifo/],
    ['a file twice', () => tar({ name: 'x' }, { name: './x' }), /"x" is in it twice/],
    ['a zip whose path goes up', () => zip('../../x'), /broken archive/],
    ['a zip with an absolute path', () => zip('/etc/x'), /broken archive/],
    ['a zip with a symbolic link', () => zip('x/y', 0o120777), /is a link/],
    [
      'a tar cut off',
      async () => (await tar({ name: 'x', content: 'y' })).subarray(0, 512),
      /broken archive/,
    ],
    [
      'a gzip cut off',
      async () => gzipSync(await tar({ name: 'x' })).subarray(0, 40),
      /broken archive/,
    ],
    ['a zip cut off', async () => (await zip('x/y')).subarray(0, 60), /broken archive/],
    [
      'something else',
      () => Promise.resolve(Buffer.from('BZh91AY')),
      /no tar, no tar\.gz and no zip/,
    ],
  ])('refuses %s', async (_, archive, message) => {
    await expect(unpack(await archive())).rejects.toThrow(message);
  });

  it('stops at the limit, of all files together', async () => {
    const bytes = await tar({ name: 'x', content: '12345' }, { name: 'y', content: '12345' });
    expect(await unpack(bytes, 10)).toHaveLength(2);
    for (const each of [bytes, gzipSync(bytes)])
      await expect(unpack(each, 9)).rejects.toMatchObject({ kind: 'UPLOAD_TOO_LARGE' });
    await expect(unpack(await zip('x/y'), 6)).rejects.toMatchObject({ kind: 'UPLOAD_TOO_LARGE' });
  });
});
