/** What is copied of a chunk goes into blocks of this size. */
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

  /** For the lines of a chunk. */
  forSource(bytes: number): Buffer {
    if (bytes <= this.source.length) return this.source.subarray(0, bytes);
    if (bytes > SOURCE_BYTES_MAX) return Buffer.allocUnsafe(bytes);
    this.source = Buffer.allocUnsafeSlow(bytes);
    return this.source;
  }

  /** Of so many bytes at least. */
  block(bytes: number): Buffer {
    if (bytes > BLOCK_BYTES) return Buffer.allocUnsafe(bytes);
    if (this.taken >= BLOCKS_MAX) return Buffer.allocUnsafe(BLOCK_BYTES);
    const block = (this.blocks[this.taken] ??= Buffer.allocUnsafeSlow(BLOCK_BYTES));
    this.taken += 1;
    return block;
  }

  /** Nothing that was given is used any more. */
  freeAll(): void {
    this.taken = 0;
  }
}
