import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGunzip, createGzip, gzip } from 'node:zlib';
import { readHeader } from './csv-header.js';
import { CsvCutter } from './cut-csv.js';
import { cutParts, LineCutter, PART_BYTES, type Cut } from './cut-lines.js';
import { tarOf } from './delta-tar.js';
import type { SourceFile } from '../find-files.js';
import { contentTypeOf, ROUTES } from '../format.js';
import type { Body, Part } from './part.js';

const READ_BYTES = 1024 * 1024;
/** Fast over small: a part is compressed while the one before is on its way. */
const GZIP = { level: constants.Z_BEST_SPEED };
const compress = promisify(gzip);
const NO_QUERY = {};

/**
 * Gives the parts of a file that are to be sent, one after the other. The same file always makes
 * the same parts.
 */
export function partsOf(file: SourceFile): AsyncIterable<Part> {
  switch (file.format) {
    case 'ndjson':
      return ndjsonParts(file);
    case 'csv':
      return csvParts(file);
    case 'json':
    case 'parquet':
    case 'arrow':
    case 'delta':
      return wholeFile(file);
  }
}

async function* ndjsonParts(file: SourceFile): AsyncGenerator<Part> {
  for await (const cut of cutParts(readText(file), () => new LineCutter(PART_BYTES)))
    yield textPart(file, cut, [cut.bytes], NO_QUERY);
}

/** Each part gets the header, and is told the delimiter by which it was cut. */
async function* csvParts(file: SourceFile): AsyncGenerator<Part> {
  const { header, delimiter, content } = await readHeader(readText(file));
  const cutter = (): CsvCutter => new CsvCutter(PART_BYTES, delimiter.charCodeAt(0));
  const query = { delimiter: delimiter === '\t' ? 'tab' : delimiter };
  for await (const cut of cutParts(content, cutter))
    yield textPart(file, cut, cut.offset === 0 ? [cut.bytes] : [header, cut.bytes], query);
}

function textPart(
  { name, format, size, gzipped }: SourceFile,
  { offset, bytes }: Cut,
  content: readonly Buffer[],
  query: Part['query'],
): Part {
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

/** The file as it is. What is JSON is compressed on its way; the other formats are compressed already. */
async function* wholeFile(file: SourceFile): AsyncGenerator<Part> {
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

/** Pipes, but a failure of the source is one of the target. */
function through<T extends NodeJS.ReadWriteStream>(source: Readable, target: T): T & Readable {
  pipeline(source, target, () => undefined);
  return target as T & Readable;
}

/** A part that is sent again is not compressed again; only what is compressed is kept. */
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
