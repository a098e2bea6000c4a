import type { Logger } from '@app/platform';
import type { DescribedTable } from '../table-description.js';
import type { PreparedTable } from './prepare/prepare-table.js';
import type { TableRegistry } from './table-registry.js';

const LOOK_MS = 1000;
/**
 * A file that grows continuously must not be read continuously: at most one second of ten is spent
 * on reading.
 */
const REST = 10;

/**
 * Reads tables again: those with an interval when they are old enough, and automatic copies when
 * their files change. A table that cannot be read stays as it is.
 */
export class Reloader {
  private readonly running = new Set<string>();
  private readonly triedAt = new WeakMap<DescribedTable, number>();
  /** The stamp of the files when they could not be read. */
  private readonly failedOn = new WeakMap<DescribedTable, string>();
  /** The time until which changed files are ignored. */
  private readonly resting = new WeakMap<DescribedTable, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param seconds the interval of tables without an interval of their own; undefined: none. */
  constructor(
    private readonly tables: TableRegistry,
    private readonly seconds: number | undefined,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const table of this.tables.list()) {
      const { described } = table;
      if (described.followed || this.running.has(described.name)) continue;
      this.running.add(described.name);
      void this.consider(table).finally(() => this.running.delete(described.name));
    }
  }

  private async consider({ described, readAt, changedFiles }: PreparedTable): Promise<void> {
    const seconds = described.reloadSeconds ?? this.seconds;
    const triedAt = Math.max(readAt, this.triedAt.get(described) ?? 0);
    if (seconds !== undefined && Date.now() - triedAt >= seconds * 1000)
      return this.reload(described);
    if (performance.now() < (this.resting.get(described) ?? 0)) return;
    const files = await changedFiles?.();
    if (files !== undefined && files !== this.failedOn.get(described))
      return this.reload(described, files);
  }

  private async reload(described: DescribedTable, files?: string): Promise<void> {
    const { name } = described;
    const began = performance.now();
    this.triedAt.set(described, Date.now());
    try {
      await this.tables.change({ reload: [name] });
    } catch (error) {
      if (files !== undefined) this.failedOn.set(described, files);
      this.logger.warn({ err: error }, `table ${name} could not be read again and stays as it was`);
    }
    const ended = performance.now();
    this.resting.set(described, ended + (ended - began) * REST);
  }
}
