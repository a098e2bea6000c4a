import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { SourceEngine } from '@app/warehouse';
import { COMPRESSED } from '../../sources/engine-format.js';
import { listedPaths } from '../../sources/listed-paths.js';
import { SourceError } from '../../sources/source-error.js';
import type { Source } from '../../sources/source.js';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const PIECE_BYTES = 1024 ** 2;
/** So much of each file is looked at. Objects that are too large are so in their beginnings. */
const LOOKED_BYTES = 8 * 1024 ** 2;
/** FNV-1a */
const [SEED, PRIME] = [0x811c9dc5, 0x01000193];

/**
 * An object with values at more places within it is kept as text. Its names are data, such as the
 * keys of a dictionary, and it would take minutes to look at each place.
 */
const PLACES_MAX = 1_000;
/** Records with values at more places take minutes, too, and would be as many columns. */
const RECORD_PLACES_MAX = 10_000;

export const isLarge = (places: number): boolean => places > PLACES_MAX;
/** If there are more files, the others are not looked at. */
const FILES_MAX = 200;

/** The places that records of a file have together. */
interface SeenPlaces {
  /** Names of fields with values at more than {@link PLACES_MAX} places within them. */
  readonly large: readonly string[];
  /** There are more places in records than can be columns. */
  readonly areTooMany: boolean;
}

/**
 * The source with those of its columns as texts that have too many places within them, so that
 * nobody looks for their types.
 * @throws {SourceError} where its records have more places than can be columns
 */
export async function withLargeAsText(
  source: Source,
  statements: SourceEngine['statements'],
): Promise<Source> {
  if (source.files === undefined) return source;
  const texts = new Set<string>();
  for (const path of await listedPaths(source.files, statements, FILES_MAX))
    for (const name of await largeFields(path)) texts.add(name);
  return texts.size === 0 ? source : { ...source, texts: [...texts] };
}

/**
 * The names of fields with too many places within them, in the beginning of a file.
 * @throws {SourceError} where its records have more places than can be columns
 */
export async function largeFields(file: string): Promise<readonly string[]> {
  const { large, areTooMany } = await placesOf(file);
  if (!areTooMany) return large;
  throw new SourceError(
    `its records have values at more than ${RECORD_PLACES_MAX} places, each of which would be a column: where it is one object with a record for each name ({"id1": {…}, "id2": {…}}), format=json and pointer= (or pointer=/path/to/it) make a row of each, with the name in the column "key" and the record in "value"; else declare the columns that are wanted in \`schema\``,
  );
}

/** Looks at the beginning of a file of JSON, which may be packed. */
async function placesOf(file: string): Promise<SeenPlaces> {
  const scan = new PlacesScan();
  let left = LOOKED_BYTES;
  for await (const piece of unpacked(file)) {
    scan.take(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0 || scan.areTooMany) break;
  }
  return scan;
}

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gz: createGunzip,
  br: createBrotliDecompress,
};

/** Files that nobody unpacks here, and those that are broken, have no bytes. */
async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const ending = extname(file).slice(1);
  const unpacker = UNPACKERS[ending];
  if (!unpacker && COMPRESSED.includes(ending)) return;
  const bytes = createReadStream(file, { highWaterMark: PIECE_BYTES });
  // A failure reaches the reader of the last stream.
  const all = unpacker ? pipeline(bytes, unpacker(), () => undefined) : bytes;
  try {
    for await (const piece of all) yield piece as Buffer;
  } catch {
    // The engine tells what is wrong with it.
  } finally {
    bytes.destroy();
  }
}

/** An object or a list that has begun. */
interface Frame {
  readonly isObject: boolean;
  /** It is the same for all values at a place. */
  readonly place: number;
}

/** Tells places apart by the names on the way to them; elements of a list have one place. */
class PlacesScan implements SeenPlaces {
  /** Places within each field of the records. A field with too many has none. */
  private readonly fields = new Map<string, Set<number> | undefined>();
  private readonly frames: Frame[] = [];
  private places = 0;
  private isText = false;
  private isEscaped = false;
  private isName = false;
  private awaitsName = false;
  /** The place of the name that was read last. */
  private place = SEED;
  /** True until the value at that place begins. */
  private isOpen = false;
  private name = '';
  private field: Set<number> | undefined;

  get large(): readonly string[] {
    return [...this.fields].flatMap(([name, places]) => (places ? [] : [name]));
  }

  get areTooMany(): boolean {
    return this.places > RECORD_PLACES_MAX;
  }

  take(piece: Buffer): void {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.isText) at = this.text(piece, at);
      else this.mark(piece.readUInt8(at));
    }
  }

  /** @returns the place of the last byte that was read */
  private text(piece: Buffer, from: number): number {
    let at = from;
    for (; at < piece.length; at += 1) {
      const byte = piece.readUInt8(at);
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) {
        this.isText = false;
        break;
      }
      if (this.isName) this.place = Math.imul(this.place ^ byte, PRIME);
    }
    // A record's own field is a column by its name; no other name is needed.
    if (this.isName && this.frames.length === 1) this.name += piece.toString('utf8', from, at);
    if (!this.isText && this.isName) this.named();
    return at;
  }

  private named(): void {
    this.isName = false;
    this.awaitsName = false;
    this.isOpen = true;
    if (this.frames.length > 1) return;
    const { name } = this;
    this.name = '';
    if (!this.fields.has(name)) {
      this.fields.set(name, new Set());
      this.places += 1;
    }
    this.field = this.fields.get(name);
    this.isOpen = false;
  }

  private mark(byte: number): void {
    const { frames } = this;
    const top = frames.at(-1);
    switch (byte) {
      case QUOTE:
        this.isText = true;
        this.isName = this.awaitsName && top?.isObject === true;
        if (this.isName) this.place = Math.imul(top?.place ?? SEED, PRIME);
        return;
      case COMMA:
        this.close();
        this.awaitsName = true;
        return;
      case COLON:
        this.awaitsName = false;
        return;
      case OPEN_OBJECT:
        frames.push({ isObject: true, place: top ? this.place : SEED });
        this.isOpen = false;
        this.awaitsName = true;
        return;
      case OPEN_LIST:
        // The list of all records is no value of one.
        if (top) frames.push({ isObject: false, place: this.place });
        this.close();
        return;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        this.close();
        frames.pop();
        this.place = frames.at(-1)?.place ?? SEED;
    }
  }

  /** Counts the place of a value that is no object. */
  private close(): void {
    const { field, fields, isOpen } = this;
    this.isOpen = false;
    if (!isOpen || !field || field.has(this.place)) return;
    field.add(this.place);
    this.places += 1;
    if (!isLarge(field.size)) return;
    this.places -= field.size;
    this.field = undefined;
    for (const [name, places] of fields) if (places === field) fields.set(name, undefined);
  }
}
