import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { decodeBody } from './decode-body.js';

const MAX = 1024 * 1024;
const first = '{"a":1}\n';
const second = '{"a":2}\n';
const NOTHING = Buffer.alloc(0);

const decoded = async (chunks: readonly Buffer[], encoding: string): Promise<string> =>
  (await buffer(decodeBody(Readable.from(chunks), encoding, MAX))).toString();

describe('decoding a body', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('takes %s, and nothing behind it', async (encoding, compress) => {
    const whole = compress(first);
    const half = Math.floor(whole.length / 2);
    expect(await decoded([whole], encoding)).toBe(first);
    expect(await decoded([whole.subarray(0, half), NOTHING, whole.subarray(half)], encoding)).toBe(
      first,
    );
    for (const behind of [
      Buffer.from(second),
      Buffer.from('\0'),
      Buffer.concat([Buffer.from('\0'), compress(second)]),
    ])
      for (const chunks of [[Buffer.concat([whole, behind])], [whole, behind]])
        await expect(decoded(chunks, encoding)).rejects.toMatchObject({ kind: 'BAD_ENCODING' });
  });

  it('takes several members of gzip, however they are cut', async () => {
    const members = Buffer.concat([gzipSync(first), gzipSync(second)]);
    for (let at = 0; at <= members.length; at += 1)
      expect(await decoded([members.subarray(0, at), members.subarray(at)], 'gzip')).toBe(
        first + second,
      );
  });

  it.each(['deflate', 'br'])('refuses a second piece of %s, which would be lost', async (name) => {
    const compress = name === 'br' ? brotliCompressSync : deflateSync;
    const twice = Buffer.concat([compress(first), compress(second)]);
    await expect(decoded([twice], name)).rejects.toMatchObject({ kind: 'BAD_ENCODING' });
  });

  it.each(['constructor', '__proto__', 'gzip, br', 'lzma'])('knows no %s', (name) => {
    expect(() => decodeBody(Readable.from([]), name, MAX)).toThrow(/is not supported/);
  });
});
