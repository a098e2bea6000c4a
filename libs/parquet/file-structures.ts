import { certain } from '@app/platform';
import { BrokenFileError } from './broken-file-error.js';
import { I32, LIST, STRUCT, ThriftWalk } from './thrift-walk.js';

/**
 * An element of a file's schema, with those below it. A repeated group of one element counts as
 * that element.
 */
export interface WrittenElement {
  readonly children: readonly WrittenElement[];
  /** It exists if the bytes declare a timestamp; tells whether it is in UTC. */
  readonly timestamp?: TimestampPlaces;
  /** The bytes that declare only a text. */
  readonly text?: BytesRange;
}

/** Bytes from one place to before another. */
export interface BytesRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The places of the type in the old notation and in the new one, and of the mark of UTC in the new
 * one.
 */
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
/** The number of texts in the old notation. */
const UTF8 = 0;

/**
 * Reads the structure that begins with these bytes: the header of a page or of a bloom filter, an
 * index, or the footer, of which it returns the schema. Each kind of structure in a file begins
 * with another pair of fields.
 * @returns the size of the structure with the data that belongs to it, or the schema of the footer;
 *   undefined if the bytes end before it.
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
  // The first field of a bloom filter is the number of bytes that follow it. Nothing follows an
  // index.
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
  // The following field would count its number from one that is left out.
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

/** Changes a timestamp into one without a zone. */
export function writeZoneless(bytes: Uint8Array, { utc }: TimestampPlaces): void {
  bytes[utc] = headerByte(IS_UTC, FALSE);
}

const TIME = 7;
/**
 * The old notation has two numbers for millis and micros; those for times of day are smaller by
 * two.
 */
const OLDER_BY = 2;

/** Changes a timestamp on the first day into a time of day, which is written in the same way. */
export function writeTimeOfDay(bytes: Uint8Array, places: TimestampPlaces): void {
  const { converted, logical } = places;
  bytes[logical] = headerByte(TIME, STRUCT);
  // Whole numbers are doubled, so that the lowest bit holds their sign.
  if (converted !== undefined)
    bytes[converted] = certain(bytes[converted], 'byte of a type') - 2 * OLDER_BY;
  writeZoneless(bytes, places);
}
