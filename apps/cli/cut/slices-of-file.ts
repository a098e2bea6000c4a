import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGunzip, createGzip, gzip } from 'node:zlib';
import { readHeader } from './csv-header.js';
import { CsvCutter } from './cut-csv.js';
import { cutSlices, LineCutter, SLICE_BYTES, type Cut } from './cut-lines.js';
import { tarOf } from './delta-tar.js';
import type { SourceFile } from '../find-files.js';
import { contentTypeOf, ROUTES } from '../format.js';
import type { Body, Slice } from './slice.js';

const READ_BYTES = 1024 * 1024;
/** Fast over small: a slice is compressed while the one before is on its way. */
const GZIP = { level: constants.Z_BEST_SPEED };
const compress = promisify(gzip);
const NO_QUERY = {};

/**
 * Gives the slices of a file that are to be sent, one after the other. The same file always makes
 * the same slices.
 */
export function slicesOf(file: SourceFile): AsyncIterable<Slice> {
  switch (file.format) {
    case 'ndjson':
      return ndjsonSlices(file);
    case 'csv':
      return csvSlices(file);
    case 'json':
    case 'parquet':
    case 'arrow':
    case 'delta':
      return wholeFile(file);
  }
}

async function* ndjsonSlices(file: SourceFile): AsyncGenerator<Slice> {
  for await (const cut of cutSlices(readText(file), () => new LineCutter(SLICE_BYTES)))
    yield textSlice(file, cut, [cut.bytes], NO_QUERY);
}

/** Each slice gets the header, and is told the delimiter by which it was cut. */
async function* csvSlices(file: SourceFile): AsyncGenerator<Slice> {
  const { header, delimiter, content } = await readHeader(readText(file));
  const cutter = (): CsvCutter => new CsvCutter(SLICE_BYTES, delimiter.charCodeAt(0));
  const query = { delimiter: delimiter === '\t' ? 'tab' : delimiter };
  for await (const cut of cutSlices(content, cutter))
    yield textSlice(file, cut, cut.offset === 0 ? [cut.bytes] : [header, cut.bytes], query);
}

function textSlice(
  { name, format, size, gzipped }: SourceFile,
  { offset, bytes }: Cut,
  content: readonly Buffer[],
  query: Slice['query'],
): Slice {
  const hash = createHash('sha256');
  for (const each of content) hash.update(each);
  return {
    name,
    offset,
    bytes: size === undefined || gzipped ? 0 : bytes.length,
    route: ROUTES[format],
    query,
    contentType: contentTypeOf(format, name),
    contentEncoding: 'gzip',
    digest: hash.digest('base64url'),
    open: compressedOnce(content),
  };
}

/**
 * Sends the file as it is. JSON is compressed on its way; the other formats are compressed already.
 */
async function* wholeFile(file: SourceFile): AsyncGenerator<Slice> {
  const { name, path, size = 0, folder, format, gzipped } = file;
  const read = (): AsyncIterable<Uint8Array> =>
    folder ? tarOf(path) : createReadStream(path, { highWaterMark: READ_BYTES });
  const hash = createHash('sha256');
  for await (const piece of read()) hash.update(piece);
  const compressing = format === 'json' && !gzipped;
  yield {
    name,
    offset: 0,
    bytes: size,
    route: ROUTES[format],
    query: NO_QUERY,
    contentType: contentTypeOf(format, name),
    ...(compressing || gzipped ? { contentEncoding: 'gzip' as const } : {}),
    digest: hash.digest('base64url'),
    open: () =>
      Promise.resolve<Body>(
        compressing
          ? { content: through(Readable.from(read()), createGzip(GZIP)) }
          : { content: read(), ...(folder ? {} : { length: size }) },
      ),
  };
}

function readText({ path, gzipped }: SourceFile): AsyncIterable<Buffer> {
  const file = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: READ_BYTES });
  return gzipped ? through(file, createGunzip()) : file;
}

/**
 * Pipes the source into the target. A failure of the source also becomes a failure of the target.
 */
function through<T extends NodeJS.ReadWriteStream>(source: Readable, target: T): T & Readable {
  pipeline(source, target, () => undefined);
  return target as T & Readable;
}

/** Keeps only the compressed bytes, so that a slice that is sent again is not compressed again. */
function compressedOnce(content: readonly Buffer[]): () => Promise<Body> {
  let waiting = content;
  let compressed: Promise<Body> | undefined;
  const work = async (): Promise<Body> => {
    const [only, ...others] = waiting;
    const whole = only && others.length === 0 ? only : Buffer.concat(waiting);
    waiting = [];
    const bytes = await compress(whole, GZIP);
    return { content: bytes, length: bytes.length };
  };
  return () => (compressed ??= work());
}
