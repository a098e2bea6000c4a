import { getHeapStatistics } from 'node:v8';
import { MillraceError, type Logger, didYouMean } from '@app/platform';
import type { DescribedStore } from '../describe/table-entry.js';
import type { Workshop } from '../registry/prepare/open-source.js';
import { MemoryAllowance } from '../memory-allowance.js';
import { timerMilliseconds } from '../timer-milliseconds.js';
import { dropStore, fillStore } from './fill-store.js';
import { bytesInMemory, readValues } from './read-values.js';
import { ValuesInEngine } from './values-in-engine.js';
import { ValuesInMemory, type Values } from './values.js';

/**
 * The share of the memory that the process may use for texts and objects. While a store is read
 * again, its old values are in memory too, so it may briefly be twice as much.
 */
const SHARE = 1 / 8;

const heapShare = (): number => Math.floor(getHeapStatistics().heap_size_limit * SHARE);

interface Store {
  readonly described: DescribedStore;
  values: Values;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Values by their keys, from tables of any source: in the process, or in the engine where they are
 * too many for it.
 */
export class KeyValueStores {
  private readonly stores = new Map<string, Store>();
  private closed = false;

  constructor(
    private readonly workshop: Workshop,
    private readonly logger: Logger,
    private readonly memory = new MemoryAllowance(heapShare()),
  ) {}

  /**
   * Must be called once.
   * @param reloadSeconds the interval of stores that have none of their own; undefined: such stores
   * are read once
   * @throws {MillraceError} INVALID_PARAMETER that names store, place and reason
   */
  async open(stores: readonly DescribedStore[], reloadSeconds: number | undefined): Promise<void> {
    for (const described of stores) {
      const values = await this.read(described);
      const store: Store = { described, values, timer: undefined };
      this.stores.set(described.name, store);
      const seconds = described.table.reloadSeconds ?? reloadSeconds;
      if (seconds !== undefined) this.reloadLater(store, seconds);
    }
  }

  close(): void {
    this.closed = true;
    for (const { timer } of this.stores.values()) clearTimeout(timer);
  }

  /** @throws {MillraceError} STREAM_NOT_FOUND for an unknown store or key */
  value(name: string, key: string, signal: () => AbortSignal): string | Promise<string> {
    const store = this.stores.get(name);
    if (!store)
      throw new MillraceError(
        'STREAM_NOT_FOUND',
        `there is no key-value store ${JSON.stringify(name)}${didYouMean(name, [...this.stores.keys()])}`,
      );
    const found = store.values.get(key, signal);
    return found instanceof Promise
      ? found.then((value) => insistOn(value, name, key))
      : insistOn(found, name, key);
  }

  private async read(described: DescribedStore, before?: Values): Promise<Values> {
    const copy = await fillStore(described, this.workshop);
    let isNeeded = false;
    try {
      const values = await this.inMemory(copy, before?.bytes ?? 0);
      isNeeded = values === undefined;
      return values ?? new ValuesInEngine(copy, this.workshop.engine, this.logger);
    } finally {
      if (!isNeeded) await this.dropUnneeded(copy);
    }
  }

  private async dropUnneeded(copy: string): Promise<void> {
    await dropStore(copy, this.workshop).catch((error: unknown) =>
      this.logger.error({ err: error }, 'the copy that a store was read from stays'),
    );
  }

  /**
   * @returns undefined if there is no room; in any case the store's earlier values have given back
   *   their memory
   */
  private async inMemory(copy: string, before: number): Promise<Values | undefined> {
    const { engine } = this.workshop;
    const bytes = await bytesInMemory(copy, engine);
    if (!this.memory.take(bytes, before)) {
      this.memory.giveBack(before);
      return undefined;
    }
    try {
      return new ValuesInMemory(await readValues(copy, bytes, engine), bytes);
    } catch (error) {
      this.memory.giveBack(bytes - before);
      throw error;
    }
  }

  private reloadLater(store: Store, seconds: number): void {
    if (this.closed) return;
    store.timer = setTimeout(() => {
      this.reload(store)
        .catch((error: unknown) => {
          const { name } = store.described;
          this.logger.warn(
            { err: error },
            `store ${name} could not be read again and stays as it was`,
          );
        })
        .finally(() => this.reloadLater(store, seconds));
    }, timerMilliseconds(seconds)).unref();
  }

  /** All values change at once: a request that has begun reads the old ones to its end. */
  private async reload(store: Store): Promise<void> {
    const before = store.values;
    store.values = await this.read(store.described, before);
    before.drop();
  }
}

function insistOn(value: string | undefined, name: string, key: string): string {
  if (value !== undefined) return value;
  throw new MillraceError('STREAM_NOT_FOUND', `store ${name} has no key ${JSON.stringify(key)}`);
}
