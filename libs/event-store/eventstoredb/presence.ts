import { pause } from '@app/flow';
import { SilenceError } from './eventstoredb-failure.js';

export interface PresenceLog {
  warn(details: object, message: string): void;
}

interface PresenceOptions {
  /** After so long an absence, operations fail without waiting. */
  readonly maxWaitMs: number;
  /** Asks it something. Rejects when it does not answer. */
  readonly probe: () => Promise<unknown>;
  readonly log: PresenceLog;
  readonly signal: AbortSignal;
}

const PROBE_MS = 500;
const LOG_MS = 60_000;

/**
 * Tells all operations whether the server is there, so that they fail at once when it has been away
 * for long. While it is away, one probe after the other is sent to it, until it gives any answer.
 * Logs one line when it goes, one a minute, and one when it is back.
 */
export class Presence {
  private since: { readonly time: number; readonly tick: number } | undefined;
  private failures = 0;

  constructor(private readonly options: PresenceOptions) {}

  /**
   * The time when the server first failed to answer, in milliseconds since the epoch; undefined
   * while it answers.
   */
  get awaySince(): number | undefined {
    return this.since?.time;
  }

  /**
   * The milliseconds that are left in which it may come back soon; 0 if it has been away for
   * longer.
   */
  get waitLeftMs(): number {
    const { maxWaitMs } = this.options;
    return this.since ? Math.max(0, this.since.tick + maxWaitMs - performance.now()) : maxWaitMs;
  }

  /** Says that the server has answered. */
  heard(): void {
    if (!this.since) return;
    const details = { awaySeconds: this.awaySeconds(), failures: this.failures };
    this.since = undefined;
    this.options.log.warn(details, 'the event store answers again');
  }

  /** Notes that the server gave no answer, or not an answer to the question. */
  missed(error: unknown): void {
    const { log, signal } = this.options;
    this.failures += 1;
    if (this.since || signal.aborted) return;
    // A server that says nothing was away already when it was asked.
    const silentMs = error instanceof SilenceError ? error.milliseconds : 0;
    this.since = { time: Date.now() - silentMs, tick: performance.now() - silentMs };
    this.failures = 1;
    log.warn({ reason: reasonOf(error) }, 'the event store does not answer; it is asked again');
    void this.lookOut(this.since);
  }

  private async lookOut(since: object): Promise<void> {
    const { log, probe, signal } = this.options;
    let logged = performance.now();
    while (this.since === since && !signal.aborted) {
      await pause(PROBE_MS, signal);
      if (this.since !== since || signal.aborted) return;
      try {
        await probe();
        this.heard();
      } catch (error) {
        this.failures += 1;
        if (performance.now() - logged < LOG_MS || this.since !== since) continue;
        logged = performance.now();
        const details = { awaySeconds: this.awaySeconds(), failures: this.failures };
        log.warn({ ...details, reason: reasonOf(error) }, 'the event store still does not answer');
      }
    }
  }

  private awaySeconds(): number {
    return this.since ? Math.round((performance.now() - this.since.tick) / 1000) : 0;
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(0, 500) : String(error);
