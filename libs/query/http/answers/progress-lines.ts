import { Transform } from 'node:stream';
import { bodyOf, MillraceError } from '@app/platform';
import type { QueryProgress } from '@app/warehouse';

const LINE_END = 0x0a;
const ROW = Buffer.from('{"row":');
const ROW_END = Buffer.from('}\n');

/**
 * Converts lines of rows to lines of `{"row":…}`, with lines of progress between them. The last
 * line has the statistics of the whole answer, or the reason why it ends early. An answer without a
 * last line was cut off.
 */
export class ProgressLines extends Transform {
  private readonly startedAt = performance.now();
  private latest: QueryProgress = { rowsRead: 0, bytesRead: 0 };
  private resultBytes = 0;
  /** The beginning of an incomplete row. */
  private begun: Buffer[] = [];
  private hasTold = false;
  private isOver = false;

  /** @param onTold is called after each line of progress, so that the line is sent at once */
  constructor(private readonly onTold: () => void) {
    super();
  }

  /**
   * @param isLate tells whether the client waits for a sign of progress: a fast answer needs none
   */
  progress(read: QueryProgress, isLate: boolean): void {
    this.latest = read;
    if (!isLate || this.isOver || this.destroyed) return;
    this.tell({ progress: this.counts() });
    this.onTold();
  }

  /** The end of an answer that has begun. If it has not begun, only the failure is answered. */
  fail(error: unknown): void {
    if (this.destroyed || this.isOver) return;
    this.isOver = true;
    if (this.hasTold && error instanceof MillraceError) {
      this.tell({ error: bodyOf(error) });
      this.push(null);
    } else this.destroy(error instanceof Error ? error : new Error(String(error)));
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.resultBytes += chunk.length;
    const pieces: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      pieces.push(ROW, ...this.begun, chunk.subarray(from, end), ROW_END);
      this.begun = [];
      from = end + 1;
    }
    // The engine reuses its memory for the next rows.
    if (from < chunk.length) this.begun.push(Buffer.from(chunk.subarray(from)));
    if (pieces.length > 0) this.pass(Buffer.concat(pieces));
    done();
  }

  override _flush(done: () => void): void {
    this.isOver = true;
    if (this.begun.length > 0) this.pass(Buffer.concat([ROW, ...this.begun, ROW_END]));
    this.tell({ statistics: { ...this.counts(), result_bytes: this.resultBytes } });
    done();
  }

  private counts() {
    return {
      elapsed_ms: Math.round(performance.now() - this.startedAt),
      rows_read: this.latest.rowsRead,
      bytes_read: this.latest.bytesRead,
    };
  }

  private tell(line: object): void {
    this.pass(Buffer.from(`${JSON.stringify(line)}\n`));
  }

  private pass(bytes: Buffer): void {
    this.hasTold = true;
    this.push(bytes);
  }
}
