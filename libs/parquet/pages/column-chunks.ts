import { BrokenFileError } from '../broken-file-error.js';
import { I32, I64, LIST, STRUCT, ThriftWalk } from '../thrift-walk.js';

/** The place of the pages of one column in one row group. */
export interface ColumnChunk {
  /** The codec, by the format's number. */
  readonly codec: number;
  /** The number of its entries: rows, and elements of lists. */
  readonly entries: number;
  /** The size of its pages after decompression. */
  readonly unpackedBytes: number;
  /** The place of its first page, which may be a dictionary. */
  readonly from: number;
  readonly to: number;
}

interface RowGroup {
  readonly rows: number;
  readonly chunks: ReadonlyMap<number, ColumnChunk>;
}

const ROW_GROUPS = 4;
/** The fields of a row group. */
const [COLUMNS, GROUP_ROWS] = [1, 3];
/** The fields of a column in it. */
const [FILE_PATH, META_DATA] = [1, 3];
/** The fields of that column's metadata. */
const [CODEC, ENTRIES, UNPACKED, PACKED, DATA_AT, DICTIONARY_AT] = [4, 5, 6, 7, 9, 11];

/**
 * Yields the row groups of a footer, with the requested columns.
 * @param columns by their number among the columns that hold values
 * @throws {Error} when it is no footer
 */
export function* rowGroups(footer: Uint8Array, columns: ReadonlySet<number>): Generator<RowGroup> {
  const walk = new ThriftWalk(footer);
  for (const { id, type } of walk.fields()) {
    if (id !== ROW_GROUPS || type !== LIST) {
      walk.skip(type, 1);
      continue;
    }
    for (let left = walk.structures(); left > 0; left -= 1) yield rowGroup(walk, columns);
    return;
  }
}

function rowGroup(walk: ThriftWalk, columns: ReadonlySet<number>): RowGroup {
  const chunks = new Map<number, ColumnChunk>();
  let rows = 0;
  for (const { id, type } of walk.fields()) {
    if (id === GROUP_ROWS && type === I64) rows = walk.integer();
    else if (id === COLUMNS && type === LIST) {
      const count = walk.structures();
      for (let column = 0; column < count; column += 1) {
        if (columns.has(column)) chunks.set(column, columnChunk(walk));
        else walk.skip(STRUCT, 2);
      }
    } else walk.skip(type, 2);
  }
  return { rows, chunks };
}

function columnChunk(walk: ThriftWalk): ColumnChunk {
  const numbers = new Map<number, number>();
  for (const { id, type } of walk.fields()) {
    if (id === FILE_PATH) throw new BrokenFileError('a column of it is in another file');
    if (id !== META_DATA || type !== STRUCT) walk.skip(type, 3);
    else
      for (const field of walk.fields()) {
        if (field.type === I32 || field.type === I64) numbers.set(field.id, walk.integer());
        else walk.skip(field.type, 4);
      }
  }
  const number = (id: number): number => numbers.get(id) ?? 0;
  const [data, dictionary] = [number(DATA_AT), number(DICTIONARY_AT)];
  // Some writers say 0 where there is no dictionary.
  const from = dictionary > 0 ? Math.min(data, dictionary) : data;
  return {
    codec: number(CODEC),
    entries: number(ENTRIES),
    unpackedBytes: number(UNPACKED),
    from,
    to: from + number(PACKED),
  };
}
