import { Semaphore } from '@app/flow';
import { gauge } from '@app/platform';
import { unreadablePart, type DamagedPart, type TableHealth, type TableName } from '@app/warehouse';
import type { KeptRowCounts } from './kept-row-counts.js';

interface DamageLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** The damage of a stream whose table is not whole. */
export interface Damage {
  /** That the engine has set aside, or cannot read. */
  readonly parts: number;
  /** Missing, where that is known. */
  readonly rows?: number;
  readonly detail: string;
}

const EVERY_MS = 60_000;
const LOGGED_MAX = 20;
const UNREADABLE_MAX = 1000;
const DETAIL =
  'not all rows of this stream are in its answers: a part of its table is damaged or gone; an operator finds what to do in docs/operations.md, "Damaged parts"';

/**
 * Looks for what tables have lost: parts that the engine has set aside, which it does in silence,
 * and rows that were there before the start. Asks the engine's lists only, at the start and each
 * minute, and tells: the log once a part, a metric, `/readyz`, and the records of streams.
 */
export class DamagedTables {
  private parts: readonly DamagedPart[] = [];
  /** Parts that could not be read, which the engine leaves where they are, by their tables' streams. */
  private readonly unreadable = new Map<string, Set<string>>();
  private readonly told = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly looking = new Semaphore(1);

  constructor(
    private readonly health: TableHealth,
    private readonly counts: KeptRowCounts,
    private readonly log: DamageLog,
  ) {}

  /** Looks, compares with the last look, and goes on looking. Before anything is written. */
  async start(everyMs = EVERY_MS): Promise<void> {
    const rows = await this.health.tableRows();
    if (rows) this.counts.compare(rows);
    for (const { table, missing } of this.counts.losses())
      this.tell(`${table} rows`, { table, missing }, 'rows of a table are gone that were there');
    await this.look();
    this.timer = setInterval(() => void this.lookAgain(), everyMs);
    this.timer.unref();
    gauge({
      name: 'millrace_damaged_parts',
      help: 'Parts of tables that the engine cannot read, or has set aside because it cannot',
      collect: (parts) => parts.set(this.partCount),
    });
    gauge({
      name: 'millrace_missing_rows',
      help: 'Rows that tables had at the last look before the start, and have not any more',
      collect: (missing) => missing.set(this.missingRows),
    });
  }

  /** A last look, so that the next start has something to compare with. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.lookAgain(true);
  }

  /** @returns the table's name, when the failure is that a part of it is damaged */
  async note(failure: unknown): Promise<string | undefined> {
    const found = unreadablePart(failure);
    const table = found && (await this.health.tableOf(found.tableId).catch(() => undefined));
    if (!found || !table) return undefined;
    const { part } = found;
    const parts = this.unreadable.get(table.streamId) ?? new Set();
    if (parts.size < UNREADABLE_MAX) this.unreadable.set(table.streamId, parts.add(part));
    this.tell(
      `${table.database}.${table.table} ${part}`,
      { ...table, part },
      'a part of a table cannot be read: queries that need it fail',
    );
    return table.table;
  }

  /** Gives facts that everybody may see, so it has no names. */
  facts(): Readonly<Record<string, unknown>> | undefined {
    const rows = this.missingRows;
    if (this.partCount === 0 && rows === 0) return undefined;
    return { parts: this.partCount, ...(rows > 0 ? { missing_rows: rows } : {}) };
  }

  of(table: TableName, streamId: string): Damage | undefined {
    const isIts = (each: TableName): boolean =>
      each.database === table.database && each.table === table.table;
    const parts = this.parts.filter(isIts).length + (this.unreadable.get(streamId)?.size ?? 0);
    const rows = this.counts.missing(table, streamId);
    if (parts === 0 && rows === 0) return undefined;
    return { parts, ...(rows > 0 ? { rows } : {}), detail: DETAIL };
  }

  private get partCount(): number {
    const unreadable = [...this.unreadable.values()].reduce((sum, { size }) => sum + size, 0);
    return this.parts.length + unreadable;
  }

  private get missingRows(): number {
    return [...this.counts.losses()].reduce((sum, { missing }) => sum + missing, 0);
  }

  private lookAgain(last = false): Promise<void> {
    return this.looking
      .run(() => this.look(last))
      .catch((error: unknown) =>
        this.log.warn({ err: error }, 'it could not be looked for damaged parts of tables'),
      );
  }

  private async look(last = false): Promise<void> {
    this.parts = await this.health.damagedParts();
    for (const { part, ...where } of this.parts)
      this.tell(
        `${where.database}.${where.table} ${part}`,
        { ...where, part },
        'the engine has set aside a damaged part of a table: its rows are in no answer',
      );
    const rows = await this.health.tableRows();
    if (rows) await this.counts.keep(rows, last);
  }

  private tell(what: string, details: object, message: string): void {
    if (this.told.has(what) || this.told.size > LOGGED_MAX) return;
    this.told.add(what);
    if (this.told.size > LOGGED_MAX)
      this.log.error({}, 'more tables are damaged; GET /api/{org}/streams tells which');
    else
      this.log.error(details, `${message}; docs/operations.md, "Damaged parts", says what to do`);
  }
}
