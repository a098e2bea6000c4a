const LONG_BYTES = 4096;
const SHORT_PIECES = 64;

/**
 * Holds pieces of a text until they are used. A piece is a view of what was read at once, and keeps
 * all of that in memory: of a body with a byte between each 64 KiB of blanks, which framing leaves
 * out, a few bytes would keep everything. So short pieces are copied together.
 */
export class GatheredPieces {
  bytes = 0;
  private pieces: Buffer[] = [];
  private short: Buffer[] = [];

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.bytes += piece.length;
    const isLong = piece.length >= LONG_BYTES;
    if (!isLong) this.short.push(piece);
    if (isLong || this.short.length === SHORT_PIECES) this.settle();
    if (isLong) this.pieces.push(piece);
  }

  /** @returns all pieces in order; none are left. */
  take(): readonly Buffer[] {
    const taken = [...this.pieces, ...this.short];
    [this.pieces, this.short, this.bytes] = [[], [], 0];
    return taken;
  }

  private settle(): void {
    if (this.short.length > 0) this.pieces.push(Buffer.concat(this.short));
    this.short = [];
  }
}
