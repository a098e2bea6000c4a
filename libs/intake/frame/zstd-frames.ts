import { certain } from '@app/platform';

/** RFC 8878, section 3.1. */
const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const CHECKSUM_BYTES = 4;
const RLE_BLOCK = 1;
/** A piece of a body has so many blocks at most, each of which is 128 KiB at most when decoded. */
const BLOCKS_MAX = 64;

/** RFC 9659 allows a content encoding a window of this size, which a decoder keeps in memory. */
const WINDOW_BYTES_MAX = 8 * 1024 * 1024;
const WINDOW_LOG_MIN = 10;

type Field = 'magic' | 'descriptor' | 'window' | 'content size' | 'block' | 'skippable size';

const BYTES: Readonly<Record<Field, number>> = {
  magic: 4,
  descriptor: 1,
  window: 1,
  'content size': 1,
  block: 3,
  'skippable size': 4,
};

/**
 * Follows a body of Zstandard frames from header to header, to check that it ends where a frame
 * ends. The decoder would wait for more if a body is cut off.
 */
export class ZstdFrames {
  private field: Field = 'magic';
  private bytes = BYTES.magic;
  /** The value of the field, little-endian, as far as it was seen. */
  private value = 0;
  private seen = 0;
  /** Bytes until the next field. */
  private skip = 0;
  private hasChecksum = false;
  private behindWindow = 0;
  private frames = 0;
  /** The number of blocks that began in the current piece. */
  private blocks = 0;

  /** Tells whether there was a frame, and every frame is complete. */
  get whole(): boolean {
    return this.frames > 0 && this.field === 'magic' && this.seen === 0 && this.skip === 0;
  }

  /**
   * Cuts what came into pieces whose content is small, whatever is in them.
   * @returns the end of each piece; the last one ends where the input does
   * @throws {Error} if a frame should begin and does not, or needs too much memory.
   */
  push(piece: Uint8Array): readonly number[] {
    const ends: number[] = [];
    this.blocks = 0;
    for (let at = 0; at < piece.length;) {
      if (this.blocks === BLOCKS_MAX) {
        ends.push(at);
        this.blocks = 0;
      }
      if (this.skip > 0) {
        const skipped = Math.min(this.skip, piece.length - at);
        this.skip -= skipped;
        at += skipped;
        continue;
      }
      this.value += (piece[at] ?? 0) * 2 ** (8 * this.seen);
      this.seen += 1;
      at += 1;
      if (this.seen === this.bytes) this.take();
    }
    ends.push(piece.length);
    return ends;
  }

  private take(): void {
    const { field, value, bytes } = this;
    this.value = 0;
    this.seen = 0;
    if (field === 'magic') this.begin(value);
    else if (field === 'descriptor') this.header(value);
    else if (field === 'window') this.window(value);
    else if (field === 'content size') this.needs(bytes === 2 ? value + 256 : value, 0);
    else if (field === 'block') this.block(value);
    else this.goOn('magic', value);
  }

  private begin(magic: number): void {
    this.frames += 1;
    if (magic === FRAME_MAGIC) this.goOn('descriptor', 0);
    else if (magic - (magic % 16) === SKIPPABLE_MAGIC) this.goOn('skippable size', 0);
    else throw new Error(`no frame begins with ${magic.toString(16)}`);
  }

  private header(descriptor: number): void {
    const isSingleSegment = (descriptor & 0b10_0000) !== 0;
    this.hasChecksum = (descriptor & 0b100) !== 0;
    const dictionary = certain(DICTIONARY_ID_BYTES[descriptor & 0b11], 'size of a dictionary’s id');
    const size = certain(CONTENT_SIZE_BYTES[descriptor >> 6], 'size of a content size');
    // In a frame of a single segment, the whole content is the window.
    if (isSingleSegment) this.goOn('content size', dictionary, size || 1);
    else {
      this.goOn('window', 0);
      this.behindWindow = dictionary + size;
    }
  }

  private window(descriptor: number): void {
    const base = 2 ** (WINDOW_LOG_MIN + (descriptor >> 3));
    this.needs(base + (base / 8) * (descriptor & 0b111), this.behindWindow);
  }

  private needs(windowBytes: number, untilBlock: number): void {
    if (windowBytes > WINDOW_BYTES_MAX) {
      throw new Error(
        `a frame's window has ${windowBytes} bytes, and ${WINDOW_BYTES_MAX} are the most: compress without --long and --ultra`,
      );
    }
    this.goOn('block', untilBlock);
  }

  private block(header: number): void {
    this.blocks += 1;
    const isLast = (header & 1) === 1;
    const bytes = ((header >> 1) & 0b11) === RLE_BLOCK ? 1 : header >> 3;
    if (isLast) this.goOn('magic', bytes + (this.hasChecksum ? CHECKSUM_BYTES : 0));
    else this.goOn('block', bytes);
  }

  private goOn(field: Field, skip: number, bytes = BYTES[field]): void {
    this.field = field;
    this.skip = skip;
    this.bytes = bytes;
  }
}
