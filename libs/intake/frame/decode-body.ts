import { Transform, type Readable } from 'node:stream';
import { Decompressor } from '@cloudpss/zstd/napi';
import { nothingBehind, zlibDecoder } from '@app/http';
import { countPassedBytes, MillraceError } from '@app/platform';
import { ZstdFrames } from './zstd-frames.js';

/**
 * Decodes the body's Content-Encoding and stops at `maxBytes` of decoded bytes, however small the
 * encoded body is.
 * @throws {MillraceError} UNSUPPORTED_ENCODING at once; BAD_ENCODING and UPLOAD_TOO_LARGE as the
 *   stream's error.
 */
export function decodeBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Readable {
  const name = nameOf(encoding);
  const limited = limit(maxBytes);
  if (isUnencoded(encoding)) return relay(body, limited, (error) => error);
  const explain = (error: Error): MillraceError =>
    new MillraceError('BAD_ENCODING', `the body is not whole and valid ${name}`, {
      detail: error.message,
    });
  return relay(undone(body, name, explain), limited, (error) => error);
}

const nameOf = (encoding: string | undefined): string => (encoding ?? '').trim().toLowerCase();

/** Tells whether a body with this Content-Encoding comes as it is. */
export const isUnencoded = (encoding: string | undefined): boolean =>
  /^(?:identity)?$/.test(nameOf(encoding));

type Explain = (error: Error) => Error;

function undone(body: Readable, name: string, explain: Explain): Readable {
  if (name === 'zstd')
    return relay(relay(body, zstdPieces(), explain), new Decompressor(), explain);
  const decoder = zlibDecoder(name);
  if (!decoder) {
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      `Content-Encoding ${JSON.stringify(name)} is not supported; send gzip, deflate, br, zstd or none`,
    );
  }
  return relay(relay(body, decoder, explain), nothingBehind(body, decoder), explain);
}

/**
 * Pipes the source into the target. An error of the source also ends the target, and closing the
 * target closes the source.
 */
function relay(source: Readable, target: Transform, explain: Explain): Readable {
  let sourceFailed = false;
  source.on('error', (error) => {
    sourceFailed = true;
    target.destroy(error instanceof MillraceError ? error : cutOff(error));
  });
  const destroy = target.destroy.bind(target);
  target.destroy = (error?: Error) => destroy(error && !sourceFailed ? explain(error) : error);
  target.on('close', () => source.unpipe(target));
  return source.pipe(target);
}

/** The request itself failed: its connection ended. */
export function cutOff(cause: Error): MillraceError {
  return new MillraceError(
    'BODY_CUT_OFF',
    'the connection ended before the body did; send it again, whole',
    { cause },
  );
}

function limit(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      countPassedBytes(chunk.length);
      if (bytes <= maxBytes) done(null, chunk);
      else
        done(
          new MillraceError(
            'UPLOAD_TOO_LARGE',
            `an upload may have at most ${maxBytes} bytes when decoded; split it`,
          ),
        );
    },
  });
}

/**
 * Cuts the input into pieces of so few blocks that a decoder's output of each stays small, and checks
 * that the end is complete. The decoder takes memory for each piece, so pieces of a fixed size that
 * is as safe, a kilobyte, took five times as long for texts that hardly compress.
 */
function zstdPieces(): Transform {
  const frames = new ZstdFrames();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        let from = 0;
        for (const end of frames.push(chunk)) {
          this.push(chunk.subarray(from, end));
          from = end;
        }
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    },
    flush(done) {
      done(frames.whole ? null : new Error('unexpected end'));
    },
  });
}
