import { MillraceError, type Logger, didYouMean } from '@app/platform';
import type { DescribedStore } from '../describe/table-entry.js';
import type { Workshop } from '../registry/open-source.js';
import { timerMilliseconds } from '../timer-milliseconds.js';
import { dropStore, fillStore } from './fill-store.js';

interface Copy {
  /** Quoted. */
  readonly table: string;
  /** Look-ups that have its name. */
  readers: number;
}

interface Store {
  readonly described: DescribedStore;
  copy: Copy;
  timer: NodeJS.Timeout | undefined;
}

/** Values by their keys, from tables of any source. They lie in the engine, in the order of their keys. */
export class KeyValueStores {
  private readonly stores = new Map<string, Store>();
  private closed = false;

  constructor(
    private readonly workshop: Workshop,
    private readonly logger: Logger,
  ) {}

  /**
   * To be called once.
   * @param reloadSeconds of stores that have no interval of their own; undefined: they are read once
   * @throws {MillraceError} INVALID_PARAMETER that names store, place and reason
   */
  async open(stores: readonly DescribedStore[], reloadSeconds: number | undefined): Promise<void> {
    for (const described of stores) {
      const copy = await this.fill(described);
      const store: Store = { described, copy, timer: undefined };
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
  async value(name: string, key: string, signal: AbortSignal): Promise<string> {
    const store = this.stores.get(name);
    if (!store)
      throw new MillraceError(
        'STREAM_NOT_FOUND',
        `there is no key-value store ${JSON.stringify(name)}${didYouMean(name, [...this.stores.keys()])}`,
      );
    const line = await this.lookUp(store, key, signal);
    // The engine ends the line; without a row there is none.
    if (line.endsWith('\n')) return line.slice(0, -1);
    throw new MillraceError('STREAM_NOT_FOUND', `store ${name} has no key ${JSON.stringify(key)}`);
  }

  private async lookUp(store: Store, key: string, signal: AbortSignal): Promise<string> {
    const { copy } = store;
    copy.readers += 1;
    try {
      return await this.workshop.engine.reader.text({
        sql: `SELECT v FROM ${copy.table} WHERE k = {key:String}`,
        params: { key },
        format: 'text',
        signal,
      });
    } finally {
      copy.readers -= 1;
      if (store.copy !== copy) this.dropUnread(copy);
    }
  }

  private async fill(described: DescribedStore): Promise<Copy> {
    return { table: await fillStore(described, this.workshop), readers: 0 };
  }

  /** Whoever looks something up in a copy that has been replaced drops it when nobody else does. */
  private dropUnread({ table, readers }: Copy): void {
    if (readers > 0) return;
    dropStore(table, this.workshop).catch((error: unknown) =>
      this.logger.error({ err: error }, 'an old copy of a store stays'),
    );
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

  private async reload(store: Store): Promise<void> {
    const before = store.copy;
    store.copy = await this.fill(store.described);
    this.dropUnread(before);
  }
}
