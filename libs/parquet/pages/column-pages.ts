import type { FileHandle } from 'node:fs/promises';
import { MillraceError } from '@app/platform';
import { BrokenFileError } from '../broken-file-error.js';
import type { ColumnChunk } from './column-chunks.js';
import { FALSE, I32, STRUCT, ThriftWalk, TRUE } from '../thrift-walk.js';
import { unpackPage } from './unpack-page.js';

/** The highest levels that entries of a column have. */
export interface Levels {
  readonly definition: number;
  readonly repetition: number;
}

/** A page of values of a column. */
interface Page {
  /** The number of its entries, nulls among them. */
  readonly entries: number;
  /** The encoding of its values, by the format's number. */
  readonly encoding: number;
  /** @throws {MillraceError} UPLOAD_TOO_LARGE */
  readonly read: () => Promise<PageBytes>;
}

interface PageBytes {
  readonly repetitions: Buffer;
  readonly definitions: Buffer;
  values(): Promise<Buffer>;
}

const [DATA_PAGE, DATA_PAGE_V2] = [0, 3];
/** The fields of a page's header. */
const [TYPE, UNPACKED, PACKED, HEADER_V1, HEADER_V2] = [1, 2, 3, 5, 8];
/**
 * The fields of a data page: the number of entries, the encoding of values and that of levels; in
 * the second version also the length of levels, and whether the values are compressed.
 */
const [ENTRIES, VALUES_AS, DEFINITIONS_AS, REPETITIONS_AS] = [1, 2, 3, 4];
const [VALUES_AS_V2, DEFINITION_BYTES, REPETITION_BYTES, IS_COMPRESSED] = [4, 5, 6, 7];
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
 * Finds the pages of a column, one after the other; what a page holds is read only when it is asked
 * for.
 * @throws {Error} when the footer describes it wrongly
 */
export async function* columnPages(
  handle: FileHandle,
  { codec, from, to, entries }: ColumnChunk,
  most: Levels,
): AsyncGenerator<Page> {
  let left = entries;
  for (let at = from; at < to && left > 0;) {
    const { numbers, data, bytes } = await pageHeader(handle, at, to);
    const packed = numbers.get(PACKED) ?? 0;
    const unpacked = numbers.get(UNPACKED) ?? 0;
    at += bytes;
    if (packed < 0 || unpacked < 0 || packed > to - at) throw new BrokenFileError('a page ends behind its column'); // prettier-ignore
    const type = numbers.get(TYPE);
    if (type === DATA_PAGE || type === DATA_PAGE_V2) {
      const count = data.get(ENTRIES) ?? 0;
      if (count < 0 || count > left)
        throw new BrokenFileError('a column has more entries than it says');
      left -= count;
      const isV2 = type === DATA_PAGE_V2;
      const start = at;
      const read = async (): Promise<PageBytes> => {
        const isLarge = packed > PAGE_BYTES_MAX || unpacked > PAGE_BYTES_MAX;
        if (isLarge || count > PAGE_ENTRIES_MAX) throw tooLarge();
        const page = await bytesAt(handle, start, packed);
        if (isV2) return ofV2(page, data, (values, length) => unpackPage(values, codec, length), unpacked); // prettier-ignore
        return ofV1(await unpackPage(page, codec, unpacked), data, most);
      };
      yield { entries: count, encoding: data.get(isV2 ? VALUES_AS_V2 : VALUES_AS) ?? 0, read };
    }
    at += packed;
  }
  if (left > 0) throw new BrokenFileError('a column has fewer entries than it says');
}

type Numbers = ReadonlyMap<number, number>;

function ofV2(
  page: Buffer,
  data: Numbers,
  unpack: (values: Buffer, length: number) => Promise<Buffer>,
  unpacked: number,
): PageBytes {
  const repetitions = data.get(REPETITION_BYTES) ?? 0;
  const definitions = data.get(DEFINITION_BYTES) ?? 0;
  const levels = repetitions + definitions;
  if (repetitions < 0 || definitions < 0 || levels > page.length || levels > unpacked)
    throw new BrokenFileError('a page is shorter than its levels');
  const packed = page.subarray(levels);
  return {
    repetitions: page.subarray(0, repetitions),
    definitions: page.subarray(repetitions, levels),
    values: async () =>
      data.get(IS_COMPRESSED) === 0 ? packed : await unpack(packed, unpacked - levels),
  };
}

function ofV1(page: Buffer, data: Numbers, most: Levels): PageBytes {
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
  const repetitions = piece(most.repetition, REPETITIONS_AS);
  const definitions = piece(most.definition, DEFINITIONS_AS);
  return { repetitions, definitions, values: () => Promise.resolve(page.subarray(at)) };
}

interface PageHeader {
  readonly numbers: Numbers;
  /** The numbers of the header's fields that only a page of values has; truths are 0 and 1. */
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
        else if (field.type === TRUE || field.type === FALSE)
          data.set(field.id, field.type === TRUE ? 1 : 0); // prettier-ignore
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
    `a page of a struct or map, or of integers that are written by their differences, may have at most ${PAGE_BYTES_MAX} bytes and ${PAGE_ENTRIES_MAX} values; write the file with smaller pages`,
  );
