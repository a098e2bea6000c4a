import { releaseSentMemory } from '@app/warehouse';

/** The bytes of an answer, taken in pieces of any length. */
export class ByteQueue {
  private readonly chunks: AsyncIterator<Buffer>;
  private chunk: Buffer = Buffer.alloc(0);
  /** The number of bytes of the chunk that are taken. */
  private at = 0;

  constructor(answer: AsyncIterable<Buffer>) {
    this.chunks = answer[Symbol.asyncIterator]();
  }

  /**
   * Takes a copy of the next bytes, and frees the chunks that were taken whole.
   * @returns undefined where the answer ends before its first byte
   * @throws {RangeError} where the answer ends within them
   */
  async take(length: number): Promise<Buffer | undefined> {
    const taken = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length;) {
      if (this.at === this.chunk.length && !(await this.next())) {
        if (filled === 0) return undefined;
        throw new RangeError(`an answer ends ${length - filled} bytes too early`);
      }
      const copied = this.chunk.copy(taken, filled, this.at);
      this.at += copied;
      filled += copied;
    }
    return taken;
  }

  private async next(): Promise<boolean> {
    if (this.chunk.length > 0) releaseSentMemory(this.chunk);
    const next: IteratorResult<Buffer, unknown> = await this.chunks.next();
    this.chunk = next.done === true ? Buffer.alloc(0) : next.value;
    this.at = 0;
    return next.done !== true;
  }

  /** The rest of the answer is not needed. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
