import * as zlib from 'node:zlib';
import { Compressor } from '@cloudpss/zstd/napi';

const { createZstdCompress } = zlib as {
  readonly createZstdCompress?: () => NodeJS.ReadWriteStream;
};

const FAST = 1;

/** Node.js has one of its own, beside the event loop, from 22.15 on. */
export const createZstd = createZstdCompress ?? (() => new Compressor(FAST));
