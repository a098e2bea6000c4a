import cliProgress from 'cli-progress';

const MB = 1e6;
/** Below so many columns a line of the bar would be cut in its middle. */
const WIDE = 100;
const FORMATS = {
  wide: '{bar} {percentage}% | {sent} of {all} MB | {stored} stored, {rejected} rejected | {eta_formatted} left',
  narrow: '{percentage}% | {stored} stored, {rejected} rejected | {eta_formatted} left',
  unknown: '{stored} stored, {rejected} rejected | {duration_formatted}',
};
/** A terminal without a size says 0. */
const isNarrow = (columns: number): boolean => columns > 0 && columns < WIDE;
const [CLEAR_LINE, SAVE_CURSOR] = ['\r\u001b[K', '\u001b7'];
const mb = (bytes: number): string => (bytes / MB).toFixed(1);

/**
 * Shows on stderr how much has been stored so far. Without a terminal it shows only what must be
 * told.
 */
export class Progress {
  private readonly bar: cliProgress.SingleBar | undefined;
  private sent = 0;
  private stored = 0;
  private rejected = 0;
  private pausedUntil = 0;

  /** @param total bytes; 0: unknown */
  constructor(private readonly total: number) {
    if (!process.stderr.isTTY) return;
    this.bar = new cliProgress.SingleBar({
      format:
        FORMATS[total === 0 ? 'unknown' : isNarrow(process.stderr.columns) ? 'narrow' : 'wide'],
      stream: process.stderr,
      hideCursor: true,
      etaBuffer: 20,
    });
    this.bar.start(Math.max(total, 1), 0, this.shown());
  }

  slice(bytes: number, stored: number, rejected: number): void {
    this.sent += bytes;
    this.stored += stored;
    this.rejected += rejected;
    this.bar?.update(Math.min(this.sent, Math.max(this.total, 1)), this.shown());
  }

  /** Says once why it waits, even if several slices wait for the same reason. */
  pause(reason: string, milliseconds: number): void {
    const now = performance.now();
    if (now < this.pausedUntil) return;
    this.pausedUntil = now + milliseconds;
    this.tell(`${reason}; trying again in ${(milliseconds / 1000).toFixed(1)} s`);
  }

  /**
   * Writes above the bar, which goes on in the line below. The cursor returns there when the bar
   * ends.
   */
  tell(line: string): void {
    const [before, after] = this.bar ? [CLEAR_LINE, SAVE_CURSOR] : ['', ''];
    process.stderr.write(`${before}${line}\n${after}`);
  }

  end(): void {
    this.bar?.stop();
  }

  private shown(): Record<string, string> {
    return {
      sent: mb(this.sent),
      all: mb(this.total),
      stored: this.stored.toLocaleString('en'),
      rejected: this.rejected.toLocaleString('en'),
    };
  }
}
