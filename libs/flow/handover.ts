interface Offer<Item> {
  readonly item: Item;
  readonly taken: () => void;
}

/**
 * Hands items from a callback to a loop, one at a time. The callback waits until the loop asks for
 * the next item.
 */
export class Handover<Item> {
  private readonly offers: Offer<Item>[] = [];
  private wake: (() => void) | undefined;
  private isOver = false;

  /** Resolves when the item was taken and the next is asked for, or nobody takes any more. */
  offer(item: Item): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.offers.push({ item, taken: resolve });
      this.wake?.();
    });
  }

  async *items(signal: AbortSignal): AsyncGenerator<Item> {
    const wake = (): void => this.wake?.();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const offer = this.offers.shift();
        if (!offer) {
          await new Promise<void>((resolve) => (this.wake = resolve));
          continue;
        }
        try {
          yield offer.item;
        } finally {
          offer.taken();
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.end();
    }
  }

  /** Ends the loop's side. A callback does not wait any more, now or later. */
  end(): void {
    this.isOver = true;
    for (const offer of this.offers.splice(0)) offer.taken();
  }
}
