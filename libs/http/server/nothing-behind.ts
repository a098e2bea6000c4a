import { Transform, type Readable } from 'node:stream';
import type { Zlib } from 'node:zlib';

/** The prefix of the error's code, as zlib's own codes have it. */
const BYTES_BEHIND = 'Z_BYTES_BEHIND';

/**
 * Takes what a decoder of zlib makes of a source, and fails if bytes stand behind the end of the
 * compressed data. The decoder would ignore them without an error, and they may be records.
 * @param decoder has all of the source piped to it.
 */
export function nothingBehind(source: Readable, decoder: Transform & Zlib): Transform {
  let sent = 0;
  source.on('data', (chunk: Buffer) => (sent += chunk.length));
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, chunk);
    },
    flush(done) {
      // The decoder counts the bytes that it has read. It ends before its source only if it reads
      // no more.
      if (source.readableEnded && decoder.bytesWritten === sent) done();
      else
        done(
          Object.assign(new Error('bytes follow the end of what is compressed'), {
            code: BYTES_BEHIND,
          }),
        );
    },
  });
}
