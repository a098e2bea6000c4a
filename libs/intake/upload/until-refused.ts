import type { AcceptChunk } from '../store/concurrent-acceptance.js';

/**
 * Chunks of a body's lines. As soon as one is refused, no one waits for the client any more: the
 * lines end with that failure, and so do the chunks.
 */
export async function* untilRefused(
  lines: AsyncIterable<Buffer>,
  chunksOf: (lines: AsyncIterable<Buffer>) => AsyncIterable<AcceptChunk>,
): AsyncIterable<AcceptChunk> {
  const refusal = new Refusal();
  for await (const accept of chunksOf(refusal.endOf(lines)))
    yield async (first) => {
      try {
        return await accept(first);
      } catch (error) {
        refusal.tell(error as Error);
        throw error;
      }
    };
}

/**
 * Calls the current waiter. A promise that is raced for every piece would keep all pieces in
 * memory.
 */
class Refusal {
  private failure: Error | undefined;
  private giveUp: ((failure: Error) => void) | undefined;

  tell(failure: Error): void {
    this.failure ??= failure;
    this.giveUp?.(failure);
  }

  async *endOf(lines: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    const iterator = lines[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.orRefused(iterator.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      const left = Promise.resolve(iterator.return?.());
      // It may have to wait for the client's next bytes, but a refusal must not wait.
      if (this.failure) left.catch(() => undefined);
      else await left;
    }
  }

  private orRefused<T>(next: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.failure) reject(this.failure);
      this.giveUp = reject;
      next.then(resolve, reject);
    });
  }
}
