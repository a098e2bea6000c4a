import { certain } from '@app/platform';
import { BrokenFileError } from './broken-file-error.js';
import { I32, LIST, STRUCT, ThriftWalk } from './thrift-walk.js';

/** An element of a file's schema, with those below it. A repeated group of one is that one. */
export interface WrittenElement {
  readonly children: readonly WrittenElement[];
  /** It is there where the bytes say that it is a timestamp, and whether of UTC. */
  readonly timestamp?: TimestampPlaces;
  /** The bytes that say that it is a text, and nothing else. */
  readonly text?: BytesRange;
}

/** Bytes from the one place to before the other. */
export interface BytesRange {
  readonly from: number;
  readonly to: number;
}

/** Places of bytes: the type in the old notation, in the new one, and the mark of UTC in that. */
interface TimestampPlaces {
  readonly converted: number | undefined;
  readonly logical: number;
  readonly utc: number;
}

/** The format's numbers of fields. */
const PAGE = { uncompressed: 2, compressed: 3 } as const;
const FOOTER_SCHEMA = 2;
const ELEMENT = { repetition: 3, children: 5, converted: 6, logical: 10 } as const;
const TIMESTAMP = 8;
const IS_UTC = 1;
const REPEATED = 2;
/** The old notation's number of texts. */
const UTF8 = 0;

/**
 * Reads the structure that begins with these bytes: a page's header, a bloom filter's, an index, or
 * the footer, which alone is told by its schema. Whatever a file has of these begins with another
 * pair of fields.
 * @returns how many bytes it takes with what belongs to it, or the schema of the footer; undefined
 *   where the bytes end before it.
 */
export function fileStructure(bytes: Uint8Array): number | readonly WrittenElement[] | undefined {
  try {
    return read(new ThriftWalk(bytes), bytes);
  } catch {
    return undefined;
  }
}

function read(walk: ThriftWalk, bytes: Uint8Array): number | readonly WrittenElement[] {
  const first = new Map<number, number>();
  let isPage = false;
  for (const { id, type } of walk.fields()) {
    if (id === FOOTER_SCHEMA && type === LIST && first.has(1)) return schema(walk, bytes);
    if (id === PAGE.uncompressed && type === I32) isPage = true;
    if (type === I32) first.set(id, walk.integer());
    else walk.skip(type, 1);
  }
  // The first field of a bloom filter says how many bytes follow it. Nothing follows an index.
  return walk.at + (first.get(isPage ? PAGE.compressed : 1) ?? 0);
}

function schema(walk: ThriftWalk, bytes: Uint8Array): readonly WrittenElement[] {
  let left = walk.structures();
  const next = (): { readonly element: WrittenElement; readonly repeated: boolean } => {
    left -= 1;
    if (left < 0) throw new BrokenFileError('its schema ends too early');
    const { count, repeated, timestamp, text } = elementOf(walk, bytes);
    const within = Array.from({ length: count }, next);
    const children = within.flatMap(({ element, repeated: isList }) =>
      isList && element.children.length === 1 ? element.children : [element],
    );
    const places = { ...(timestamp && { timestamp }), ...(text && { text }) };
    return { element: { children, ...places }, repeated };
  };
  return next().element.children;
}

interface ReadElement {
  readonly count: number;
  readonly repeated: boolean;
  readonly timestamp: TimestampPlaces | undefined;
  readonly text: BytesRange | undefined;
}

function elementOf(walk: ThriftWalk, bytes: Uint8Array): ReadElement {
  let [count, repeated] = [0, false];
  let converted: number | undefined;
  let timestamp: TimestampPlaces | undefined;
  let textFrom: number | undefined;
  const ids: number[] = [];
  for (const { id, type } of walk.fields()) {
    ids.push(id);
    if (id === ELEMENT.converted && bytes[walk.at] === UTF8) textFrom = walk.at - 1;
    if (id === ELEMENT.converted) converted = walk.at;
    if (id === ELEMENT.logical && type === STRUCT) timestamp = timestampAt(walk, bytes, converted);
    else if (type === I32) {
      const number = walk.integer();
      if (id === ELEMENT.children) count = number;
      if (id === ELEMENT.repetition) repeated = number === REPEATED;
    } else walk.skip(type, 1);
  }
  // A field that follows would count its number from one that is left out.
  const isLast = ids
    .slice(ids.indexOf(ELEMENT.converted) + 1)
    .every((id) => id === ELEMENT.logical);
  const text = textFrom !== undefined && isLast ? { from: textFrom, to: walk.at - 1 } : undefined;
  return { count, repeated, timestamp, text };
}

function timestampAt(
  walk: ThriftWalk,
  bytes: Uint8Array,
  converted: number | undefined,
): TimestampPlaces | undefined {
  let logical = walk.at;
  let found: TimestampPlaces | undefined;
  for (const { id, type } of walk.fields()) {
    if (id === TIMESTAMP && type === STRUCT && bytes[logical] === STAMPED) {
      const utc = walk.at;
      walk.skip(type, 1);
      if (bytes[utc] === UTC) found = { converted, logical, utc };
    } else walk.skip(type, 1);
    logical = walk.at;
  }
  return found;
}

/** A field's number after the one before it, and its type, in a byte. */
const headerByte = (step: number, type: number): number => (step << 4) | type;
const STAMPED = headerByte(TIMESTAMP, STRUCT);
const [TRUE, FALSE] = [1, 2];
const UTC = headerByte(IS_UTC, TRUE);

/** Says of a timestamp that it has no zone. */
export function writeZoneless(bytes: Uint8Array, { utc }: TimestampPlaces): void {
  bytes[utc] = headerByte(IS_UTC, FALSE);
}

const TIME = 7;
/** The old notation has two numbers for millis and micros; those of times of day are two less. */
const OLDER_BY = 2;

/** Says of a timestamp of the first day that it is a time of day, which is written in the same way. */
export function writeTimeOfDay(bytes: Uint8Array, places: TimestampPlaces): void {
  const { converted, logical } = places;
  bytes[logical] = headerByte(TIME, STRUCT);
  // Whole numbers are written twice as large, so that their sign has a bit.
  if (converted !== undefined)
    bytes[converted] = certain(bytes[converted], 'byte of a type') - 2 * OLDER_BY;
  writeZoneless(bytes, places);
}
