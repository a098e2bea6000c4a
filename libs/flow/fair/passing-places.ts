import { Semaphore } from '../semaphore.js';
import { FairSemaphore } from './fair-semaphore.js';

/**
 * Lets so much work begin at a time, in turns of the parties that ask. Work that lasts passes its
 * place on: it waits for somebody else by then, or is long, and keeps nobody from beginning. The
 * work that has passed its place on is bounded, too.
 */
export class PassingPlaces {
  private readonly beginning: FairSemaphore;
  private readonly lasting: Semaphore;
  private readonly passAfterMs: number;

  constructor(of: {
    readonly beginning: number;
    readonly lasting: number;
    readonly passAfterMs: number;
  }) {
    this.beginning = new FairSemaphore(of.beginning);
    this.lasting = new Semaphore(of.lasting);
    this.passAfterMs = of.passAfterMs;
  }

  /** Does the work when there is a place for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.acquire();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** @returns what gives the place back; more than once does no harm. @throws the signal's reason */
  async acquire(party = '', signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const leave = once(await this.turn(party, signal));
    const over = new AbortController();
    const timer = setTimeout(() => void this.passOn(leave, over.signal), this.passAfterMs);
    return () => {
      clearTimeout(timer);
      over.abort();
      leave();
    };
  }

  private async turn(party: string, signal?: AbortSignal): Promise<() => void> {
    const turn = this.beginning.begin(party, '');
    if (!signal) return turn;
    const gone = new Promise<never>((_, reject) => {
      const leave = (): void => {
        reject(signal.reason as Error);
        // Its turn comes all the same, and ends at once.
        void turn.then((end) => end());
      };
      signal.addEventListener('abort', leave, { once: true });
      void turn.then(() => signal.removeEventListener('abort', leave));
    });
    return Promise.race([turn, gone]);
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

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
