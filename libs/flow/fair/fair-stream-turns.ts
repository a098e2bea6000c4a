/** This many bytes are taken in per turn of the event loop: well below a millisecond of work. */
const TURN_BYTES = 256 * 1024;

/**
 * The smallest piece counts for so many bytes, because each request costs work, however small it
 * is.
 */
const SMALL_COSTS = 16 * 1024;

/** A stream of Node gives at most so many bytes at a time. */
const PIECE_BYTES = 64 * 1024;

/**
 * Lets streams in piece by piece, parties in turns and a bounded number of bytes each turn of the
 * event loop: a process that receives a flood of data must still answer others.
 */
export class FairStreamTurns {
  /** It is found by party, in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private left = TURN_BYTES;
  private turning = false;

  /** Yields the stream's pieces, each when it is their turn. */
  async *pass(party: string, stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const piece of stream) {
      if (this.left <= 0) await this.turn(party);
      this.left -= Math.max(piece.length, SMALL_COSTS);
      if (!this.turning) this.nextTurn();
      yield piece;
    }
  }

  private turn(party: string): Promise<void> {
    return new Promise((begin) => {
      const line = this.waiting.get(party) ?? [];
      line.push(begin);
      this.waiting.set(party, line);
    });
  }

  private nextTurn(): void {
    this.turning = true;
    setImmediate(() => {
      this.left = TURN_BYTES;
      this.turning = false;
      this.serve();
      if (this.waiting.size > 0 && !this.turning) this.nextTurn();
    });
  }

  /** A piece each, until the turn's bytes are gone; its size is known only once it goes on. */
  private serve(): void {
    for (let pieces = TURN_BYTES / PIECE_BYTES; pieces > 0 && this.waiting.size > 0; pieces -= 1) {
      const [next] = this.waiting;
      if (!next) return;
      const [party, line] = next;
      line.shift()?.();
      this.waiting.delete(party);
      if (line.length > 0) this.waiting.set(party, line);
    }
  }
}
