import { FairSemaphore } from './fair-semaphore.js';

/**
 * Lets so much work begin at a time, in turns of the parties that ask. Work that lasts passes its
 * place on: it waits for somebody else by then, or is long, and keeps nobody from beginning. The
 * work that has passed its place on is bounded, too, and has its turns as well.
 */
export class PassingPlaces {
  private readonly beginning: FairSemaphore;
  private readonly lasting: FairSemaphore;
  private readonly passAfterMs: number;

  constructor(of: {
    readonly beginning: number;
    readonly lasting: number;
    readonly passAfterMs: number;
    /** The most places that one party may have, even if nobody else is there; undefined: all. */
    readonly each?: { readonly beginning: number; readonly lasting: number };
  }) {
    this.beginning = new FairSemaphore(of.beginning, undefined, of.each?.beginning);
    this.lasting = new FairSemaphore(of.lasting, undefined, of.each?.lasting);
    this.passAfterMs = of.passAfterMs;
  }

  /** Does the work when there is a place for it. */
  async run<T>(work: () => Promise<T>, party?: string): Promise<T> {
    const leave = await this.acquire(party);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** @returns what gives the place back; more than once does no harm. @throws the signal's reason */
  async acquire(party = '', signal?: AbortSignal): Promise<() => void> {
    const leave = once(await this.beginning.begin(party, '', signal));
    // Most work is short and needs no signal, and to abort one costs more than a place does.
    let over: AbortController | undefined;
    const timer = setTimeout(() => {
      over = new AbortController();
      void this.passOn(party, leave, over.signal);
    }, this.passAfterMs);
    return () => {
      clearTimeout(timer);
      over?.abort();
      leave();
    };
  }

  private async passOn(party: string, leave: () => void, over: AbortSignal): Promise<void> {
    const end = await this.lasting.begin(party, '', over).catch(() => undefined);
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
