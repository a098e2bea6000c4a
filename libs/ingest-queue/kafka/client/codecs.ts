import { decompress as unzstd } from '@cloudpss/zstd/napi';
import kafkajs from 'kafkajs';
import { decompressFrame as unlz4 } from 'lz4-napi';
import { uncompress as unsnappy } from 'snappy';

/**
 * Java's framing of Snappy: this header, two version numbers, then blocks with their lengths before
 * them.
 */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

async function snappyDecompress(bytes: Buffer): Promise<Buffer> {
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) return unsnappyBlock(bytes);
  const blocks: Buffer[] = [];
  for (let at = XERIAL_HEADER_BYTES; at < bytes.length;) {
    const length = bytes.readInt32BE(at);
    at += 4;
    blocks.push(await unsnappyBlock(bytes.subarray(at, at + length)));
    at += length;
  }
  return Buffer.concat(blocks);
}

const unsnappyBlock = async (block: Buffer): Promise<Buffer> =>
  Buffer.from(await unsnappy(block, { asBuffer: true }));

const neverSent = (): Promise<never> =>
  Promise.reject(new Error('messages are sent as they are: their values are compressed'));

const codec = (decompress: (bytes: Buffer) => Promise<Buffer>) => () => ({
  compress: neverSent,
  decompress,
});

/**
 * Lets the client read messages that other producers have compressed. The client supports only gzip
 * by itself.
 */
export function registerCodecs(): void {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.Snappy] = codec(snappyDecompress);
  CompressionCodecs[CompressionTypes.LZ4] = codec(unlz4);
  CompressionCodecs[CompressionTypes.ZSTD] = codec((bytes) =>
    Promise.resolve(Buffer.from(unzstd(bytes))),
  );
}
