/** Hands pieces from a writer to a reader; a writer that is ahead by more than one waits. */
export class Channel implements AsyncIterable<Buffer> {
  private readonly pieces: Buffer[] = [];
  private ended = false;
  private failure: Error | undefined;
  private readerLeft = false;
  private wakeReader = (): void => undefined;
  private wakeWriter = (): void => undefined;

  /** @returns whether the reader goes on. */
  async put(piece: Buffer): Promise<boolean> {
    this.pieces.push(piece);
    this.wakeReader();
    while (this.pieces.length > 1 && !this.readerLeft)
      await new Promise<void>((resolve) => (this.wakeWriter = resolve));
    return !this.readerLeft;
  }

  /** The reader gets the remaining pieces, then the end, or the failure. */
  end(failure?: Error): void {
    this.ended = true;
    this.failure = failure;
    this.wakeReader();
  }

  /** The reader has stopped. */
  leave(): void {
    this.readerLeft = true;
    this.wakeWriter();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.pieces.shift();
      if (piece) {
        this.wakeWriter();
        yield piece;
      } else if (this.failure) throw this.failure;
      else if (this.ended) return;
      else await new Promise<void>((resolve) => (this.wakeReader = resolve));
    }
  }
}
