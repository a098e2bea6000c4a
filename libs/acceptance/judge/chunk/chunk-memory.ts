/** Bytes that are copied from a chunk go into blocks of this size. */
const BLOCK_BYTES = 256 * 1024;
/** So much is kept for the next chunk: one of the usual size, and as many bytes copied of it. */
const SOURCE_BYTES_MAX = 20 * 1024 * 1024;
const BLOCKS_MAX = 80;

/**
 * Memory for judging a chunk, used again for the next one: what is allocated for each chunk anew is
 * freed long after, and several times a chunk's size is held meanwhile.
 */
export class ChunkMemory {
  private source = Buffer.alloc(0);
  private readonly blocks: Buffer[] = [];
  private taken = 0;

  /** @param blockBytes of a chunk so small that it needs less than a block */
  constructor(private readonly blockBytes = BLOCK_BYTES) {}

  /** Gives memory for the lines of a chunk. */
  forSource(bytes: number): Buffer {
    if (bytes <= this.source.length) return this.source.subarray(0, bytes);
    if (bytes > SOURCE_BYTES_MAX) return Buffer.allocUnsafe(bytes);
    this.source = Buffer.allocUnsafe(bytes);
    return this.source;
  }

  /** A block of so many bytes at least. */
  block(bytes: number): Buffer {
    const { blockBytes, blocks, taken } = this;
    if (bytes > blockBytes) return Buffer.allocUnsafe(bytes);
    if (taken >= BLOCKS_MAX) return Buffer.allocUnsafe(blockBytes);
    const block = (blocks[taken] ??= Buffer.allocUnsafe(blockBytes));
    this.taken += 1;
    return block;
  }

  /** Nothing that was given is used any more. */
  freeAll(): void {
    this.taken = 0;
  }
}
