import * as zlib from 'node:zlib';

const { createZstdCompress } = zlib as {
  readonly createZstdCompress?: () => NodeJS.ReadWriteStream;
};

/** Node.js has it from 22.15 on; undefined before. */
export const createZstd = createZstdCompress;
