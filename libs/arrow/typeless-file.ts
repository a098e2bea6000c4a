import { messageAt, type ArrowBytes } from './arrow-bytes.js';
import type { ArrowSchema } from './arrow-schema.js';
import { fieldsWithin, type Field } from './field.js';
import { FlatTable } from './flat-buffer.js';

/** A file with columns that have the type null, or have it within them. */
export interface TypelessFile {
  /** The names of those columns. */
  readonly names: ReadonlySet<string>;
  /** A file of the same format with the same columns and no rows, which has text where there is null. */
  readonly withTexts: Buffer;
}

/** The footer's slots with the places of dictionaries and batches, and the bytes of such a place. */
const PLACES = { slots: [2, 3], bytes: 24 } as const;
/** The mark at the beginning of a file, and the zeros behind it. */
const HEAD_BYTES = 8;
/** A vector's length stands before its elements. */
const LENGTH_BYTES = 4;

/**
 * The engine reads values of type null as any type that it is told, but tells no types of a file
 * that has one.
 * @param footer the place of its footer; undefined: it is a stream
 * @returns undefined where nothing has this type
 */
export async function typelessFile(
  source: ArrowBytes,
  { fields, texts }: ArrowSchema,
  footer: number | undefined,
): Promise<TypelessFile | undefined> {
  const names = new Set(fields.filter(isTypeless).map(({ name }) => name));
  if (names.size === 0) return undefined;
  if (footer !== undefined) {
    const head = await source.bytes(0, HEAD_BYTES);
    const end = await source.bytes(footer, source.size - footer);
    const table = FlatTable.root(end);
    for (const slot of PLACES.slots) {
      const places = table.vector(slot, PLACES.bytes);
      if (places) end.writeUInt32LE(0, places.at - LENGTH_BYTES);
    }
    return { names, withTexts: Buffer.concat([head, patched(end, 0, texts)]) };
  }
  const { at = 0, body = 0 } = (await messageAt(source, 0)) ?? {};
  return { names, withTexts: patched(await source.bytes(0, body), at, texts) };
}

function patched(bytes: Buffer, at: number, patches: ReadonlyMap<number, number>): Buffer {
  for (const [place, byte] of patches) bytes.writeUInt8(byte, at + place);
  return bytes;
}

const isTypeless = ({ type }: Field): boolean =>
  type.kind === 'nothing' || fieldsWithin(type).some(isTypeless);
