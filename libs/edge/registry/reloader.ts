import type { Logger } from '@app/platform';
import type { DescribedTable } from '../table-description.js';
import type { TableRegistry } from './table-registry.js';

const LOOK_MS = 1000;

/** Reads copied tables again when they are old enough. One that cannot be read stays as it is. */
export class Reloader {
  private readonly running = new Set<string>();
  private readonly failedAt = new WeakMap<DescribedTable, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param seconds of tables that have none of their own; undefined: they are read once. */
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
    for (const { described, copy } of this.tables.list()) {
      const seconds = described.reloadSeconds ?? this.seconds;
      if (!copy || seconds === undefined || this.running.has(described.name)) continue;
      const triedAt = Math.max(copy.readAt, this.failedAt.get(described) ?? 0);
      if (Date.now() - triedAt >= seconds * 1000) void this.reload(described);
    }
  }

  private async reload(described: DescribedTable): Promise<void> {
    const { name } = described;
    this.running.add(name);
    try {
      await this.tables.change({ reload: [name] });
    } catch (error) {
      this.failedAt.set(described, Date.now());
      this.logger.warn({ err: error }, `table ${name} could not be read again and stays as it was`);
    } finally {
      this.running.delete(name);
    }
  }
}
