import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { SchemaElement } from 'hyparquet';
import { BrokenFileError } from '../broken-file-error.js';
import { rowGroups, type ColumnChunk } from './column-chunks.js';
import { columnPages, type Levels } from './column-pages.js';
import { leafColumns } from '../leaf-columns.js';
import type { Footer } from '../footer.js';

/** The bits of the integers that may be written by their differences, by their name in the format. */
const BITS: Partial<Record<NonNullable<SchemaElement['type']>, number>> = { INT32: 32, INT64: 64 };
const DELTA_BINARY_PACKED = 5;
/** The bytes of a number of 64 bits, at most. */
const NUMBER_BYTES = 10;
/** After so many pages without such values, other work gets its turn. */
const PAGES_AT_ONCE = 1024;

/**
 * Refuses integers whose differences take more bits than the integers themselves. DuckDB writes such,
 * of 33 bits, with PARQUET_VERSION V2; the format has them wrap. The engine would return what its
 * memory has at that place, each time something else, and report nothing.
 * @param footer of the file
 * @throws {BrokenFileError} that names the column
 */
export async function refuseWideDeltas(file: string, footer: Footer): Promise<void> {
  const integers = new Map(
    leafColumns(footer.schema).flatMap((leaf) => {
      const bits = BITS[leaf.element.type ?? 'BOOLEAN'];
      return bits === undefined ? [] : [[leaf.column, { ...leaf, bits }]];
    }),
  );
  if (integers.size === 0) return;
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    for (const { chunks } of rowGroups(footer.bytes, new Set(integers.keys())))
      for (const [column, chunk] of chunks) {
        const integer = integers.get(column);
        // Some writers say too small a size of a column, so its entries tell where it ends.
        const widest = integer ? await widestDelta(handle, { ...chunk, to: size }, integer) : 0;
        if (integer && widest > integer.bits)
          throw new BrokenFileError(`column ${JSON.stringify(integer.path)} has integers of ${integer.bits} bits whose differences are written with ${widest}, which no reader of the format has to know: write it without DELTA_BINARY_PACKED (in DuckDB with PARQUET_VERSION V1)`); // prettier-ignore
      }
  } finally {
    await handle.close();
  }
}

async function widestDelta(
  handle: FileHandle,
  chunk: ColumnChunk,
  { bits, ...most }: Levels & { readonly bits: number },
): Promise<number> {
  let widest = 0;
  let pages = 0;
  for await (const { encoding, read } of columnPages(handle, chunk, most)) {
    pages += 1;
    if (encoding === DELTA_BINARY_PACKED)
      widest = Math.max(widest, widestOf(await (await read()).values()));
    if (widest > bits) return widest;
    if (pages % PAGES_AT_ONCE === 0) await setImmediate();
  }
  return widest;
}

/**
 * The most bits that a difference takes, of those that are read: the last block may name widths for
 * values that are not there.
 */
function widestOf(values: Buffer): number {
  let at = 0;
  const number = (): number => {
    let value = 0;
    let factor = 1;
    for (const byte of values.subarray(at, at + NUMBER_BYTES)) {
      at += 1;
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
      if (byte < 0x80) break;
    }
    return value;
  };
  const [blockValues, miniblocks, count] = [number(), number(), number()];
  number();
  const each = blockValues / miniblocks;
  let widest = 0;
  // The engine says what is wrong with a page that is no such one.
  if (!(each >= 1)) return widest;
  for (let left = count - 1; left > 0 && at < values.length;) {
    number();
    const widths = values.subarray(at, at + miniblocks);
    at += miniblocks;
    for (const width of widths) {
      if (left <= 0) break;
      widest = Math.max(widest, width);
      at += Math.ceil((each * width) / 8);
      left -= each;
    }
    // A block without widths would not end.
    if (widths.length === 0) break;
  }
  return widest;
}
