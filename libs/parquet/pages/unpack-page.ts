import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { decompress, Decompressor } from '@cloudpss/zstd/napi';
import { BrokenFileError } from '../broken-file-error.js';

/** @param bytes the size that it may have after decompression; no more is held in memory */
type Unpack = (page: Buffer, bytes: number) => Promise<Buffer> | Buffer;

/** This much is decompressed before its length is checked: see `decode-body.ts`. */
const ZSTD_PIECE_BYTES = 1024;
const LENGTH_BYTES = 4;

const ZSTD_MARK = 0xfd2fb528;
/** The mark, and the longest header behind it. */
const ZSTD_HEADER_BYTES = 18;
/** The places of what a frame's header tells. */
const [ZSTD_BITS_AT, ZSTD_MORE_AT] = [4, 5];

/**
 * The decompressed length that a frame of zstd says it has; the library makes room for no more.
 * Undefined where it says none, or says it in one byte, as only the smallest do.
 */
function zstdLength(page: Buffer): number | undefined {
  if (page.length < ZSTD_HEADER_BYTES || page.readUInt32LE() !== ZSTD_MARK) return undefined;
  const bits = page.readUInt8(ZSTD_BITS_AT);
  // A frame that is one piece has no size of its window, and none here has a dictionary.
  if ((bits & 3) !== 0) return undefined;
  const at = ZSTD_MORE_AT + ((bits & 0x20) === 0 ? 1 : 0);
  switch (bits >> 6) {
    case 1:
      return page.readUInt16LE(at) + 256;
    case 2:
      return page.readUInt32LE(at);
    case 3:
      return Number(page.readBigUInt64LE(at));
    default:
      return undefined;
  }
}

/** @throws {Error} for data that is longer after decompression */
export async function unzstd(page: Buffer, bytes: number): Promise<Buffer> {
  if (zstdLength(page) === bytes) return Buffer.from(decompress(page));
  const decompressor = new Decompressor();
  const pieces: Buffer[] = [];
  let length = 0;
  const done = new Promise<void>((resolve, reject) => {
    decompressor.on('end', resolve);
    decompressor.on('close', resolve);
    decompressor.on('error', reject);
    decompressor.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length <= bytes) pieces.push(piece);
      else
        decompressor.destroy(new BrokenFileError('something packed in it is longer than it says'));
    });
  });
  for (let at = 0; at < page.length && !decompressor.destroyed; at += ZSTD_PIECE_BYTES)
    if (!decompressor.write(page.subarray(at, at + ZSTD_PIECE_BYTES)))
      await Promise.race([new Promise((resolve) => decompressor.once('drain', resolve)), done]);
  if (!decompressor.destroyed) decompressor.end();
  await done;
  return Buffer.concat(pieces);
}

async function unsnap(page: Buffer): Promise<Buffer> {
  const { uncompress } = await import('snappy');
  return Buffer.from(await uncompress(page, { asBuffer: true }));
}

/** A block of LZ4 does not contain its decompressed length, so the caller gives it. */
async function unlz4(page: Buffer, bytes: number): Promise<Buffer> {
  const { uncompress } = await import('lz4-napi');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes);
  return uncompress(Buffer.concat([length, page]));
}

/** Hadoop's framing: before each block stand its decompressed length, and its length. */
async function unlz4Blocks(page: Buffer, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let left = bytes;
  for (let at = 0; at + 2 * LENGTH_BYTES <= page.length && left > 0;) {
    const unpacked = page.readUInt32BE(at);
    const packed = page.readUInt32BE(at + LENGTH_BYTES);
    at += 2 * LENGTH_BYTES;
    if (unpacked > left || packed > page.length - at) return unlz4(page, bytes);
    pieces.push(await unlz4(page.subarray(at, at + packed), unpacked));
    at += packed;
    left -= unpacked;
  }
  return Buffer.concat(pieces);
}

const unzip = promisify(gunzip);
const unbrotli = promisify(brotliDecompress);

/** The codecs, by the number that the format has for each. */
const CODECS: Readonly<Record<number, Unpack>> = {
  0: (page) => page,
  1: unsnap,
  2: (page, maxOutputLength) => unzip(page, { maxOutputLength }),
  4: (page, maxOutputLength) => unbrotli(page, { maxOutputLength }),
  5: unlz4Blocks,
  6: unzstd,
  7: unlz4,
};

/**
 * Reads the decompressed length at the beginning of Snappy's format. Snappy's library would trust
 * it.
 */
function snappyLength(page: Buffer): number {
  let length = 0;
  for (const [at, byte] of page.subarray(0, 5).entries()) {
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) break;
  }
  return length;
}

const SNAPPY = 1;

/**
 * @param bytes the size after decompression, as the page's header says
 * @throws {Error} when it has another length, or is no page of this codec
 */
export async function unpackPage(page: Buffer, codec: number, bytes: number): Promise<Buffer> {
  const unpack = CODECS[codec];
  if (!unpack) throw new BrokenFileError(`it is compressed by codec ${codec}, which is not known`);
  if (codec === SNAPPY && snappyLength(page) !== bytes)
    throw new BrokenFileError('a page of it is longer than it says');
  const unpacked = bytes === 0 ? Buffer.alloc(0) : await unpack(page, bytes);
  if (unpacked.length !== bytes)
    throw new BrokenFileError('a page of it is not as long as it says');
  return unpacked;
}
