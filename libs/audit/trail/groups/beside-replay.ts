import { setImmediate as turn } from 'node:timers/promises';

/** Rows that may wait while stored events are replayed; further events wait then. */
export const WAITING_MAX = 100_000;
/**
 * When `from` rows wait, `atATime` of them are written. They are few at a time, because the
 * remaining groups grow meanwhile, and a long insert costs little more than a short one.
 */
export const WRITTEN = { from: 75_000, atATime: 10_000 };
/** The writing of rows gets a turn of the event loop after so many events. */
const TURN_EVENTS = 64;

/**
 * Writes rows while the replay goes on, so that this process and the engine work at the same time.
 * libs/flow has nothing for it: the number of waiting rows decides here, not the number of callers.
 */
export class BesideReplay {
  private writing: Promise<void> = Promise.resolve();
  private isWriting = false;
  private untilTurn = TURN_EVENTS;

  /** @param write writes the longest groups, until so many rows are left */
  constructor(private readonly write: (left: number) => Promise<void>) {}

  /**
   * Must be called after each event.
   * @param waiting rows that wait
   * @returns what the replay waits for; it throws what writing has thrown
   */
  go(waiting: number): Promise<void> | undefined {
    if (waiting < WRITTEN.from) return;
    this.untilTurn -= 1;
    const goesOn = this.isWriting && waiting < WAITING_MAX && this.untilTurn > 0;
    return goesOn ? undefined : this.step(waiting);
  }

  /** Resolves when nothing is written any more. @throws what writing has thrown */
  end(): Promise<void> {
    return this.writing;
  }

  private async step(waiting: number): Promise<void> {
    if (!this.isWriting) {
      await this.writing;
      this.isWriting = true;
      this.writing = this.write(waiting - WRITTEN.atATime).finally(() => {
        this.isWriting = false;
      });
      // A failure is reported to the next caller.
      this.writing.catch(() => undefined);
    }
    if (waiting >= WAITING_MAX) await this.writing;
    if (this.untilTurn > 0) return;
    this.untilTurn = TURN_EVENTS;
    await turn();
  }
}
