import { Semaphore } from '../semaphore.js';

/**
 * Lets so much work begin at a time. Work that lasts passes its place on: it waits for somebody
 * else by then, and keeps nobody from beginning. The work that has passed its place on is bounded,
 * too.
 */
export class PassingPlaces {
  private readonly beginning: Semaphore;
  private readonly lasting: Semaphore;
  private readonly passAfterMs: number;

  constructor(of: {
    readonly beginning: number;
    readonly lasting: number;
    readonly passAfterMs: number;
  }) {
    this.beginning = new Semaphore(of.beginning);
    this.lasting = new Semaphore(of.lasting);
    this.passAfterMs = of.passAfterMs;
  }

  /** Does the work when there is a place for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.beginning.acquire();
    const over = new AbortController();
    const timer = setTimeout(() => void this.passOn(leave, over.signal), this.passAfterMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      over.abort();
      leave();
    }
  }

  private async passOn(leave: () => void, over: AbortSignal): Promise<void> {
    const end = await this.lasting.acquire(over).catch(() => undefined);
    // The work was over before there was room.
    if (!end) return;
    leave();
    if (over.aborted) end();
    else over.addEventListener('abort', end, { once: true });
  }
}
