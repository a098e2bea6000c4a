import { Injectable } from '@nestjs/common';

/**
 * Keeps batches that were accepted under a schema from slipping into the queue while a column of
 * their stream widens: many may pass at once, whoever shuts the gate is alone.
 */
@Injectable()
export class SchemaLock {
  private readonly passing = new Map<string, Set<Promise<unknown>>>();
  private readonly shut = new Map<string, Promise<unknown>>();

  /** Runs work that must not meet a widening. */
  async pass<T>(stream: string, work: () => Promise<T>): Promise<T> {
    for (let shut = this.shut.get(stream); shut; shut = this.shut.get(stream)) await shut;
    const running = work();
    const others = this.passing.get(stream) ?? new Set<Promise<unknown>>();
    this.passing.set(stream, others);
    const settled = running.catch(() => undefined);
    others.add(settled);
    try {
      return await running;
    } finally {
      others.delete(settled);
      if (others.size === 0) this.passing.delete(stream);
    }
  }

  /**
   * Runs work that must not meet a widening of any of these. Their gates are passed in one order
   * by everybody: who waits at a gate must not hold one at which another waits the other way round.
   */
  passAll<T>(streams: readonly string[], work: () => Promise<T>): Promise<T> {
    const [stream, ...others] = [...new Set(streams)].sort();
    if (stream === undefined) return work();
    return this.pass(stream, () => this.passAll(others, work));
  }

  /** Runs work alone: after all that pass, before all that come. */
  async alone<T>(stream: string, work: () => Promise<T>): Promise<T> {
    for (let shut = this.shut.get(stream); shut; shut = this.shut.get(stream)) await shut;
    const running = (async () => {
      await Promise.all([...(this.passing.get(stream) ?? [])]);
      return work();
    })();
    const settled = running.catch(() => undefined);
    this.shut.set(stream, settled);
    try {
      return await running;
    } finally {
      this.shut.delete(stream);
    }
  }
}
