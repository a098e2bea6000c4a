import { BrokenFileError } from '@app/parquet';
import { ColumnBuffers, valuesOf } from './arrow-buffers.js';
import type { ArrowBytes, ArrowMessage } from './arrow-bytes.js';
import type { ListPlace } from './arrow-schema.js';
import type { FlatTable } from './flat-buffer.js';

/**
 * Tells whether there are lists in a batch that are null.
 * @throws {Error} for lists of a fixed length: the engine would make as many nulls of each.
 */
export function hasNullLists(batch: FlatTable, lists: readonly ListPlace[]): boolean {
  let some = false;
  for (const { name, offsetBytes, ...place } of lists) {
    if (!valuesOf(batch, place).hasNulls) continue;
    if (offsetBytes === 0)
      throw new BrokenFileError(
        `column ${JSON.stringify(name)} has nulls among lists of a fixed length; cast it to lists of any length`,
      );
    some = true;
  }
  return some;
}

/**
 * A list that is null may still have elements. The engine would show these hidden elements.
 * @throws {Error} if one has them.
 */
export async function refuseHidden(
  source: ArrowBytes,
  message: ArrowMessage,
  lists: readonly ListPlace[],
): Promise<void> {
  for (const { name, offsetBytes, ...place } of lists) {
    const { count, hasNulls } = valuesOf(message.header, place);
    if (!hasNulls) continue;
    const buffers = new ColumnBuffers(source, message, place);
    const mask = await buffers.whole(0, Math.ceil(count / 8));
    const offsets = await buffers.whole(1, (count + 1) * offsetBytes);
    for (let value = 0; value < count; value += 1) {
      if ((mask.readUInt8(value >> 3) >> (value & 7)) & 1) continue;
      const [from, to] = [value * offsetBytes, (value + 1) * offsetBytes];
      if (offsets.compare(offsets, to, to + offsetBytes, from, from + offsetBytes) !== 0)
        throw new BrokenFileError(
          `column ${JSON.stringify(name)} has a list that is null and not empty; write it anew without what is below its nulls`,
        );
    }
  }
}
