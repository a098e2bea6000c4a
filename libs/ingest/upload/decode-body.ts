import { Transform, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Decompress } from 'fzstd';
import { MillraceError } from '@app/platform';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: zstdDecoder,
};

/**
 * Undoes the body's Content-Encoding and stops at `maxBytes` of decoded bytes, whatever the
 * encoded size promised.
 * @throws {MillraceError} UNSUPPORTED_ENCODING at once; BAD_ENCODING and UPLOAD_TOO_LARGE as the stream's error.
 */
export function decodeBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Readable {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  const limited = limit(maxBytes);
  if (name === 'identity' || name === '') return relay(body, limited, (error) => error);
  const decoder = DECODERS[name];
  if (!decoder) {
    throw new MillraceError(
      'UNSUPPORTED_ENCODING',
      `Content-Encoding ${JSON.stringify(name)} is not supported; send gzip, deflate, br, zstd or none`,
    );
  }
  const decoded = relay(
    body,
    decoder(),
    (error) =>
      new MillraceError('BAD_ENCODING', `the body is not whole and valid ${name}`, {
        detail: error.message,
      }),
  );
  return relay(decoded, limited, (error) => error);
}

/** Like pipe, but errors go along and closing the target closes the source. */
function relay(source: Readable, target: Transform, explain: (error: Error) => Error): Readable {
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
function cutOff(cause: Error): MillraceError {
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

function zstdDecoder(): Transform {
  let ended = false;
  const decoder = new Decompress();
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      attempt(() => {
        decoder.push(chunk);
      }, done);
    },
    flush(done) {
      attempt(() => {
        decoder.push(new Uint8Array(0), true);
        if (!ended) throw new Error('unexpected end');
      }, done);
    },
  });
  decoder.ondata = (data, final) => {
    ended ||= final === true;
    if (data.length > 0) transform.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  };
  return transform;
}

function attempt(work: () => void, done: (error?: Error | null) => void): void {
  try {
    work();
    done();
  } catch (error) {
    done(error as Error);
  }
}
