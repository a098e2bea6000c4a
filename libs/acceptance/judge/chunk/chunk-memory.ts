/** Bytes that are copied from a chunk go into blocks of this size. */
const BLOCK_BYTES = 256 * 1024;
/**
 * This many bytes are kept for the next chunk: one chunk of the usual size, and as many bytes
 * copied from it.
 */
const SOURCE_BYTES_MAX = 20 * 1024 * 1024;
const BLOCKS_MAX = 80;

/**
 * Memory for judging a chunk, reused for the next one. Memory that is allocated anew for each chunk
 * is freed late, so that several times a chunk's size would be held.
 */
export class ChunkMemory {
  private source = Buffer.alloc(0);
  private readonly blocks: Buffer[] = [];
  private taken = 0;

  /** @param blockBytes the size of a chunk that is so small that it needs less than a block */
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

  /** Forgets what was given; nobody uses it any more. */
  freeAll(): void {
    this.taken = 0;
  }
}
