import * as zlib from 'node:zlib';
import { Compressor } from '@cloudpss/zstd/napi';

const { createZstdCompress } = zlib as {
  readonly createZstdCompress?: () => NodeJS.ReadWriteStream;
};

const FAST = 1;

/** From 22.15 on, Node.js has its own, which works beside the event loop. */
export const createZstd = createZstdCompress ?? (() => new Compressor(FAST));
