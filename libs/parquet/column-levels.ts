import type { FileHandle } from 'node:fs/promises';
import { MillraceError } from '@app/platform';
import { BrokenFileError } from './broken-file-error.js';
import type { ColumnChunk } from './column-chunks.js';
import { bothRuns, levelRuns } from './levels.js';
import { I32, STRUCT, ThriftWalk } from './thrift-walk.js';
import { unpackPage } from './unpack-page.js';

/** The highest levels that entries of a column have. */
export interface Levels {
  readonly definition: number;
  readonly repetition: number;
}

/** Consecutive entries of a column. */
interface EntryRun {
  /** 0 means that the entry begins a row. */
  readonly repetition: number;
  /** 0 means that the structure around the column is null. */
  readonly definition: number;
  readonly count: number;
}

const [DATA_PAGE, DATA_PAGE_V2] = [0, 3];
/** The fields of a page's header. */
const [TYPE, UNPACKED, PACKED, HEADER_V1, HEADER_V2] = [1, 2, 3, 5, 8];
/**
 * The fields of a data page: the number of entries and the encoding of levels; in the second
 * version also their length.
 */
const [ENTRIES, DEFINITIONS_AS, REPETITIONS_AS] = [1, 3, 4];
const [DEFINITION_BYTES, REPETITION_BYTES] = [5, 6];
const RLE = 3;
/** The size of a header; its statistics are a value or two. */
const HEADER_BYTES_MAX = 256 * 1024;
const HEADER_BYTES = 4096;
/**
 * The size of a page, of which one is held in memory. Writers make pages of one mebibyte, or of
 * some tens.
 */
const PAGE_BYTES_MAX = 128 * 1024 * 1024;
/**
 * The number of entries of a page. A page of a few bytes can claim many, and all of them are looked
 * at.
 */
const PAGE_ENTRIES_MAX = 16 * 1024 * 1024;
const LENGTH_BYTES = 4;

/**
 * Reads the levels of all entries of a column, page by page, without its values.
 * @throws {Error} when the footer describes it wrongly
 */
export async function* columnLevels(
  handle: FileHandle,
  { codec, from, to, entries }: ColumnChunk,
  most: Levels,
): AsyncGenerator<Iterable<EntryRun>> {
  let left = entries;
  for (let at = from; at < to && left > 0;) {
    const { numbers, data, bytes } = await pageHeader(handle, at, to);
    const packed = numbers.get(PACKED) ?? 0;
    const unpacked = numbers.get(UNPACKED) ?? 0;
    at += bytes;
    if (packed < 0 || unpacked < 0 || packed > to - at) throw new BrokenFileError('a page ends behind its column'); // prettier-ignore
    if (packed > PAGE_BYTES_MAX || unpacked > PAGE_BYTES_MAX) throw tooLarge();
    const type = numbers.get(TYPE);
    if (type === DATA_PAGE || type === DATA_PAGE_V2) {
      const count = data.get(ENTRIES) ?? 0;
      if (count < 0 || count > left)
        throw new BrokenFileError('a column has more entries than it says');
      if (count > PAGE_ENTRIES_MAX) throw tooLarge();
      const page = await bytesAt(handle, at, packed);
      const [repetitions, definitions] =
        type === DATA_PAGE_V2
          ? levelsOfV2(page, data)
          : levelsOfV1(await unpackPage(page, codec, unpacked), data, most);
      left -= count;
      yield runs(levelRuns(repetitions, most.repetition, count), levelRuns(definitions, most.definition, count)); // prettier-ignore
    }
    at += packed;
  }
  if (left > 0) throw new BrokenFileError('a column has fewer entries than it says');
}

function* runs(
  repetitions: ReturnType<typeof levelRuns>,
  definitions: ReturnType<typeof levelRuns>,
): Generator<EntryRun> {
  for (const { first, second, count } of bothRuns(repetitions, definitions))
    yield { repetition: first, definition: second, count };
}

type Numbers = ReadonlyMap<number, number>;

function levelsOfV2(page: Buffer, data: Numbers): readonly [Buffer, Buffer] {
  const repetitions = data.get(REPETITION_BYTES) ?? 0;
  const definitions = data.get(DEFINITION_BYTES) ?? 0;
  if (repetitions < 0 || definitions < 0 || repetitions + definitions > page.length)
    throw new BrokenFileError('a page is shorter than its levels');
  return [page.subarray(0, repetitions), page.subarray(repetitions, repetitions + definitions)];
}

function levelsOfV1(page: Buffer, data: Numbers, most: Levels): readonly [Buffer, Buffer] {
  let at = 0;
  const piece = (highest: number, encoding: number): Buffer => {
    if (highest === 0) return Buffer.alloc(0);
    if (data.get(encoding) !== RLE) throw new BrokenFileError('its levels are written as no writer does today'); // prettier-ignore
    if (at + LENGTH_BYTES > page.length)
      throw new BrokenFileError('a page is shorter than its levels');
    const length = page.readUInt32LE(at);
    at += LENGTH_BYTES + length;
    if (at > page.length) throw new BrokenFileError('a page is shorter than its levels');
    return page.subarray(at - length, at);
  };
  return [piece(most.repetition, REPETITIONS_AS), piece(most.definition, DEFINITIONS_AS)];
}

interface PageHeader {
  readonly numbers: Numbers;
  /** The numbers of the header's fields that only a page of values has. */
  readonly data: Numbers;
  /** The length of the header. */
  readonly bytes: number;
}

async function pageHeader(handle: FileHandle, at: number, to: number): Promise<PageHeader> {
  for (const most of [HEADER_BYTES, HEADER_BYTES_MAX]) {
    const length = Math.min(most, to - at);
    try {
      return parseHeader(await bytesAt(handle, at, length));
    } catch (error) {
      if (length < most || most === HEADER_BYTES_MAX) throw error;
    }
  }
  throw new BrokenFileError('a page has no header');
}

function parseHeader(bytes: Buffer): PageHeader {
  const walk = new ThriftWalk(bytes);
  const numbers = new Map<number, number>();
  const data = new Map<number, number>();
  for (const { id, type } of walk.fields()) {
    if (type === I32) numbers.set(id, walk.integer());
    else if (type !== STRUCT || (id !== HEADER_V1 && id !== HEADER_V2)) walk.skip(type, 1);
    else
      for (const field of walk.fields())
        if (field.type === I32) data.set(field.id, walk.integer());
        else walk.skip(field.type, 2);
  }
  return { numbers, data, bytes: walk.at };
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, at);
  if (bytesRead < length) throw new BrokenFileError('it ends before its pages do');
  return buffer;
}

const tooLarge = (): MillraceError =>
  new MillraceError(
    'UPLOAD_TOO_LARGE',
    `a page of a struct or map may have at most ${PAGE_BYTES_MAX} bytes and ${PAGE_ENTRIES_MAX} values; write the file with smaller pages`,
  );
